import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { normalizeAreaCode } from '@family-watch/domain/accounts/contracts/phone';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { BLOCK_CAUSE, CALL_OUTCOME } from '@family-watch/domain/watch-settings/contracts/stranger-rule';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
import type {
  BlockedCallListDto,
  BlockedCallQueryDto,
  ReportedCallDto,
} from '@family-watch/domain/watch-settings/dto/blocked-call.dto';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { decodeLogCursor, encodeLogCursor } from '../log-cursor.js';
import { ReportingWatchService } from '../reporting-watch.service.js';
import type { ReportingWatch } from '../reporting-watch.service.js';
import { SettingsChangesService } from '../versions/settings-changes.service.js';
import { BlockedCallRepository } from './blocked-call.repository.js';
import type { StrangerCall } from './blocked-call.repository.js';
import { StrangerRuleRepository } from './stranger-rule.repository.js';
import { findUsedAllowances } from './used-allowances.js';
import type { AllowedCall } from './used-allowances.js';

/** What watches did about calls from strangers. */
@Injectable()
export class BlockedCallsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly access: FamilyAccessService,
    private readonly reporters: ReportingWatchService,
    private readonly changes: SettingsChangesService,
    private readonly calls: BlockedCallRepository,
    private readonly rules: StrangerRuleRepository,
  ) {}

  /** The same report again stores nothing new, and uses up nothing more. @throws ServiceError WATCH_UNBOUND. */
  async report(watch: Principal, reported: readonly ReportedCallDto[]): Promise<void> {
    await this.unitOfWork.run(async () => {
      const reporter = await this.reporters.find(watch);
      const calls = reported.filter(({ time }) => time >= reporter.since).map(toCall);
      const added = await this.calls.add(reporter, calls, Date.now());
      const allowed = calls.filter(({ callId, outcome }) => outcome === CALL_OUTCOME.ALLOWED && added.has(callId));
      if (allowed.length > 0) await this.useUp(watch, reporter, allowed);
    });
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING; VALIDATION_FAILED for a cursor that is none. */
  async list(caller: Principal, query: BlockedCallQueryDto): Promise<BlockedCallListDto> {
    const { did, cursor, limit = DEFAULT_PAGE_LIMIT } = query;
    const place = decodeLogCursor(cursor);
    const { familyId, cid } = await this.access.requireForWatch(caller, did, 'SEE_SETTINGS');
    const found = await this.calls.findByChild(familyId, cid, place, limit + 1);
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    return { items, nextCursor: last ? encodeLogCursor({ time: last.time, id: last.callId }) : null };
  }

  /** A number that was allowed once may not call again: the settings are others now. */
  private async useUp(watch: Principal, reporter: ReportingWatch, calls: readonly AllowedCall[]): Promise<void> {
    const { familyId, cid } = reporter;
    const used = findUsedAllowances(calls, await this.rules.findAllowed(familyId, cid, Date.now()));
    if (used.length === 0) return;
    const allowIds = used.map(({ allowId }) => allowId);
    await this.rules.disallow(familyId, cid, allowIds);
    await this.changes.record(reporter, SETTINGS_RESOURCE.REJECT_STRANGER, principalKey(watch));
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
