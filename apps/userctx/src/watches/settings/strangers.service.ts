import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { normalizeAreaCode } from '@family-watch/domain/accounts/contracts/account';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watches/contracts/settings-state';
import {
  ALLOWED_NUMBER_TTL_SECONDS,
  MAX_ALLOWED_NUMBERS_PER_CHILD,
  BLOCK_CAUSE,
  CALL_OUTCOME,
} from '@family-watch/domain/watches/contracts/stranger-rule';
import type { SettingsVersionDto } from '@family-watch/domain/watches/dto/settings-status.dto';
import type {
  AllowNumberChangedDto,
  AllowNumberReferenceDto,
  AllowedNumberDto,
  CreateAllowNumberDto,
  StrangerRuleDto,
  UpdateStrangerRuleDto,
  BlockedCallListDto,
  BlockedCallQueryDto,
  ReportedCallDto,
} from '@family-watch/domain/watches/dto/stranger.dto';
import { decodeTimePage } from '@family-watch/platform/database/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import type { ChildLink } from '../../families/family-roster.service.js';
import { SettingsChangesService, WATCH_LOG_RETENTION_MS, type ReportingWatch } from './settings-changes.service.js';
import { StrangerRuleRepository, type StrangerCall } from './stranger-rule.repository.js';

/** A call that the watch did not reject. A call without an area code matches allowed numbers of every area code. */
export type AllowedCall = Pick<StrangerCall, 'areaCode' | 'phoneNumber'>;

/** Returns the one-time allowed numbers that the calls used up. Each call uses up one entry, the oldest first. */
export function findUsedNumbers(
  calls: readonly AllowedCall[],
  allowed: readonly AllowedNumberDto[],
): AllowedNumberDto[] {
  return calls.reduce<AllowedNumberDto[]>((used, call) => {
    const found = allowed.find((number) => number.once && !used.includes(number) && matchesNumber(call, number));
    return found ? [...used, found] : used;
  }, []);
}

/** Without an area code, only the numbers are compared: some networks do not say from which country a call comes. */
function matchesNumber({ areaCode, phoneNumber }: AllowedCall, number: AllowedNumberDto): boolean {
  if (phoneNumber === null) return false;
  return areaCode === null
    ? withoutTrunkPrefix(phoneNumber) === withoutTrunkPrefix(number.phoneNumber)
    : toDialledDigits(areaCode, phoneNumber) === toDialledDigits(number.areaCode, number.phoneNumber);
}

/** Returns the digits with calling code, which are the same for `+1684` with `5551234` and `+1` with `6845551234`. */
function toDialledDigits(areaCode: string, phoneNumber: string): string {
  return areaCode.replaceAll(/\D/g, '') + withoutTrunkPrefix(phoneNumber);
}

/** Removes the 0 that is dialled within a country only. */
function withoutTrunkPrefix(phoneNumber: string): string {
  return phoneNumber.replace(/^0/, '');
}

const RESOURCE = SETTINGS_RESOURCE.REJECT_STRANGER;

/** Calls from strangers are rejected unless the family decides otherwise. */
const REJECTED_BY_DEFAULT = true;

const RETENTION_INTERVAL_MS = 3_600_000;

/** Manages whether callers who are not contacts may call a child, and the log of their calls. */
@Injectable()
export class StrangersService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly changes: SettingsChangesService,
    private readonly rules: StrangerRuleRepository,
    private readonly unitOfWork: UserctxUnitOfWork,
  ) {}

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING */
  async get(caller: Principal, did: number): Promise<StrangerRuleDto> {
    return this.view(await this.access.requireForWatch(caller, did, 'SEE_SETTINGS'));
  }

  /**
   * Returns the rule for an authorized caller. Reads the version before the rule, so the rule is at least as new as the
   * version.
   */
  async view(child: ChildLink): Promise<StrangerRuleDto> {
    const { familyId, cid } = child;
    const status = await this.changes.findStatus(child, RESOURCE);
    const enabled = (await this.rules.findEnabled(familyId, cid)) ?? REJECTED_BY_DEFAULT;
    return { ...status, enabled, allowNumbers: await this.rules.findAllowed(familyId, cid, Date.now()) };
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE */
  async update(caller: Principal, request: UpdateStrangerRuleDto): Promise<SettingsVersionDto> {
    return this.changes.apply(caller, request, RESOURCE, async ({ familyId, cid }) => {
      const before = (await this.rules.findEnabled(familyId, cid)) ?? REJECTED_BY_DEFAULT;
      const hasChanged = request.enabled !== before;
      if (hasChanged) await this.rules.setEnabled(familyId, cid, request.enabled);
      return { hasChanged };
    });
  }

  /**
   * Allows a number. A number is stored at most once per kind of permission (`once`); allowing it again changes its
   * expiry.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE, LIMIT_REACHED
   */
  async allow(caller: Principal, request: CreateAllowNumberDto): Promise<AllowNumberChangedDto> {
    return this.changes.apply(caller, request, RESOURCE, async ({ familyId, cid }) => {
      const now = Date.now();
      const existing = await this.rules.findAllowed(familyId, cid, now);
      const once = request.once ?? true;
      const same = existing.find((number) => number.once === once && matchesNumber(request, number));
      if (!same && existing.length >= MAX_ALLOWED_NUMBERS_PER_CHILD) throw new ServiceError('LIMIT_REACHED');
      const allowNumber = {
        allowId: same?.allowId ?? randomUUID(),
        areaCode: normalizeAreaCode(request.areaCode),
        phoneNumber: request.phoneNumber,
        once,
        expiresAt: now + (request.expiresIn ?? ALLOWED_NUMBER_TTL_SECONDS.DEFAULT) * 1_000,
      };
      await this.rules.allow(familyId, cid, allowNumber, now);
      return { hasChanged: true, allowNumber };
    });
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE, ALLOW_NUMBER_NOT_FOUND */
  async disallow(caller: Principal, request: AllowNumberReferenceDto): Promise<SettingsVersionDto> {
    return this.changes.apply(caller, request, RESOURCE, async ({ familyId, cid }) => {
      const existing = await this.rules.findAllowed(familyId, cid, Date.now());
      const found = existing.find(({ allowId }) => allowId === request.allowId);
      if (!found) throw new ServiceError('ALLOW_NUMBER_NOT_FOUND');
      await this.rules.disallow(familyId, cid, [found.allowId]);
      return { hasChanged: true };
    });
  }

  /**
   * Stores reported calls and deletes the one-time allowed numbers that the calls used up. Idempotent.
   * @throws ServiceError WATCH_UNBOUND
   */
  async reportCalls(watch: Principal, reported: readonly ReportedCallDto[]): Promise<void> {
    await this.unitOfWork.run(async () => {
      const reportingWatch = await this.changes.findReportingWatch(watch);
      const calls = reported.filter(({ time }) => time >= reportingWatch.boundSince).map(toCall);
      const added = await this.rules.addCalls(reportingWatch, calls, Date.now());
      const allowed = calls.filter(({ callId, outcome }) => outcome === CALL_OUTCOME.ALLOWED && added.has(callId));
      if (allowed.length > 0) await this.deleteUsedNumbers(watch, reportingWatch, allowed);
    });
  }

  /**
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor
   */
  async listBlockedCalls(caller: Principal, query: BlockedCallQueryDto): Promise<BlockedCallListDto> {
    const page = decodeTimePage(query);
    const { familyId, cid } = await this.access.requireForWatch(caller, query.did, 'SEE_SETTINGS');
    return this.rules.findBlockedCalls(familyId, cid, page);
  }

  /** Deletes old reports of calls and expired allowed numbers. */
  @OnJob('userctx.watch-settings.delete-old-calls', { intervalMs: RETENTION_INTERVAL_MS })
  async deleteOldCalls(now: number): Promise<void> {
    await this.rules.deleteCallsBefore(now - WATCH_LOG_RETENTION_MS);
    await this.rules.deleteExpired(now);
  }

  /**
   * Deletes the one-time allowed numbers that the calls used up. The deletion changes the settings and increments their
   * version.
   */
  private async deleteUsedNumbers(
    watch: Principal,
    reportingWatch: ReportingWatch,
    calls: readonly AllowedCall[],
  ): Promise<void> {
    const { familyId, cid } = reportingWatch;
    const used = findUsedNumbers(calls, await this.rules.findAllowed(familyId, cid, Date.now()));
    if (used.length === 0) return;
    const allowIds = used.map(({ allowId }) => allowId);
    await this.rules.disallow(familyId, cid, allowIds);
    await this.changes.record(reportingWatch, SETTINGS_RESOURCE.REJECT_STRANGER, principalKey(watch));
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
