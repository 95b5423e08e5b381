import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { normalizeAreaCode } from '@family-watch/domain/accounts/contracts/account';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watch-settings/contracts/settings-state';
import { BLOCK_CAUSE, CALL_OUTCOME } from '@family-watch/domain/watch-settings/contracts/stranger-rule';
import type {
  BlockedCallListDto,
  BlockedCallQueryDto,
  ReportedCallDto,
} from '@family-watch/domain/watch-settings/dto/stranger.dto';
import { decodeTimeCursor, encodeTimeCursor } from '@family-watch/platform/http/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { ReportingWatchService } from '../reporting-watch.service.js';
import type { ReportingWatch } from '../reporting-watch.service.js';
import { SettingsChangesService } from '../versions/settings-changes.service.js';
import { LOG_START, WATCH_LOG_RETENTION_MS } from '../watch-log.js';
import { BlockedCallRepository } from './blocked-call.repository.js';
import type { StrangerCall } from './blocked-call.repository.js';
import { StrangerRuleRepository } from './stranger-rule.repository.js';
import { findUsedAllowances } from './used-allowances.js';
import type { AllowedCall } from './used-allowances.js';

const RETENTION_INTERVAL_MS = 3_600_000;

/** Manages the log of calls from strangers. */
@Injectable()
export class BlockedCallsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly access: FamilyAccessService,
    private readonly reportingWatches: ReportingWatchService,
    private readonly changes: SettingsChangesService,
    private readonly calls: BlockedCallRepository,
    private readonly rules: StrangerRuleRepository,
  ) {}

  /**
   * Stores reported calls and deletes the one-time allowances that they used. Idempotent.
   * @throws ServiceError WATCH_UNBOUND.
   */
  async report(watch: Principal, reported: readonly ReportedCallDto[]): Promise<void> {
    await this.unitOfWork.run(async () => {
      const watchBinding = await this.reportingWatches.find(watch);
      const calls = reported.filter(({ time }) => time >= watchBinding.boundSince).map(toCall);
      const added = await this.calls.add(watchBinding, calls, Date.now());
      const allowed = calls.filter(({ callId, outcome }) => outcome === CALL_OUTCOME.ALLOWED && added.has(callId));
      if (allowed.length > 0) await this.deleteUsedAllowances(watch, watchBinding, allowed);
    });
  }

  /**
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor.
   */
  async list(caller: Principal, query: BlockedCallQueryDto): Promise<BlockedCallListDto> {
    const { did, cursor, limit = DEFAULT_PAGE_LIMIT } = query;
    const after = decodeTimeCursor(cursor) ?? LOG_START;
    const { familyId, cid } = await this.access.requireForWatch(caller, did, 'SEE_SETTINGS');
    const found = await this.calls.findByChild(familyId, cid, after, limit + 1);
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    return { items, nextCursor: encodeTimeCursor(last && { time: last.time, id: last.callId }) };
  }

  /** Deletes old reports of calls and expired allowed numbers. */
  @OnJob('userctx.watch-settings.delete-old-calls', { intervalMs: RETENTION_INTERVAL_MS })
  async deleteOld(now: number): Promise<void> {
    await this.calls.deleteReportedBefore(now - WATCH_LOG_RETENTION_MS);
    await this.rules.deleteExpired(now);
  }

  /**
   * Deletes one-time allowances of numbers that have called. The deletion changes the settings and increments their
   * version.
   */
  private async deleteUsedAllowances(
    watch: Principal,
    watchBinding: ReportingWatch,
    calls: readonly AllowedCall[],
  ): Promise<void> {
    const { familyId, cid } = watchBinding;
    const used = findUsedAllowances(calls, await this.rules.findAllowed(familyId, cid, Date.now()));
    if (used.length === 0) return;
    const allowIds = used.map(({ allowId }) => allowId);
    await this.rules.disallow(familyId, cid, allowIds);
    await this.changes.record(watchBinding, SETTINGS_RESOURCE.REJECT_STRANGER, principalKey(watch));
  }
}

function toCall({ time, areaCode, phoneNumber, outcome, cause }: ReportedCallDto): StrangerCall {
  return {
    callId: randomUUID(),
    time,
    areaCode: areaCode === undefined ? null : normalizeAreaCode(areaCode),
    phoneNumber: phoneNumber ?? null,
    cause: cause ?? BLOCK_CAUSE.STRANGER,
    outcome,
  };
}
