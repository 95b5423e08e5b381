import { Injectable, Logger } from '@nestjs/common';
import { VIEWER_TYPE, type ChildRead } from '@family-watch/domain/privacy/contracts/child-read';
import type { AccessLogEntryDto, AccessLogQueryDto } from '@family-watch/domain/privacy/dto/access-log.dto';
import type { ChildReadChainEntity, ChildReadEntity } from '@family-watch/domain/privacy/entities/child-read.entities';
import { DEFAULT_PAGE_LIMIT, type Page } from '@family-watch/domain/kernel/contracts/pagination';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Environment } from '@family-watch/platform/config/environment';
import { decodeCursor, toPage } from '@family-watch/platform/database/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { processRows } from '@family-watch/platform/jobs/process-rows';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { ChildReadRepository } from './child-read.repository.js';
import { hashEntry, verifyEntries } from './read-chain.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const VERIFIED_PAGE_SIZE = 1_000;
const EXPIRY_BATCH_SIZE = 200;

/** Result of the verification of a child's log. */
export interface AccessLogVerification {
  /** Number of verified entries. */
  entryCount: number;
  /** Number of the first entry that was changed or removed; null if the log is intact. */
  brokenAt: number | null;
}

/** The access log of each child: who saw the child's locations, messages and files, per hour. */
@Injectable()
export class AccessLogService {
  private readonly logger = new Logger(AccessLogService.name);
  private readonly retentionMs: number;

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly access: FamilyAccessService,
    private readonly reads: ChildReadRepository,
    { ACCESS_LOG_RETENTION_DAYS }: Environment,
  ) {
    this.retentionMs = ACCESS_LOG_RETENTION_DAYS * DAY_MS;
  }

  /**
   * Returns a page of a child's access log, the last entries first.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError VALIDATION_FAILED when the cursor is malformed
   */
  async list(caller: Principal, query: AccessLogQueryDto): Promise<Page<AccessLogEntryDto>> {
    const { from = 0, to = Number.MAX_SAFE_INTEGER, cursor, limit = DEFAULT_PAGE_LIMIT } = query;
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(decodeCursor(cursor, /^(\d{1,15})$/)[0]);
    const { cid } = await this.access.requireForChild(caller, query.cid, 'SEE_ACCESS_LOG');
    const found = await this.reads.findNewest({ cid, from, to: to - 1, before, limit: limit + 1 });
    const page = toPage(found, limit, ({ sequence }) => [sequence]);
    return { ...page, items: page.items.map(toDto) };
  }

  /** Adds the reads that the logs do not contain yet. Reads of erased children are dropped. */
  async append(reads: ReadonlyMap<string, readonly ChildRead[]>, now: number): Promise<void> {
    await this.unitOfWork.run(async () => {
      const chains = await this.reads.lockChains([...reads.keys()]);
      if (chains.length === 0) return;
      const cids = chains.map(({ cid }) => cid);
      const hours = new Set([...reads.values()].flat().map(({ hour }) => hour));
      const known = new Set(
        (await this.reads.findOfHours(cids, [...hours])).map((read) => `${read.cid} ${keyOf(read)}`),
      );
      const entries = chains.flatMap((chain) => {
        const distinct = new Map((reads.get(chain.cid) ?? []).map((read) => [keyOf(read), read]));
        const missing = [...distinct].filter(([key]) => !known.has(`${chain.cid} ${key}`));
        return missing.map(([, read]) => addToChain(chain, read, now));
      });
      if (entries.length > 0) await this.reads.append(entries, chains);
    });
  }

  /**
   * Checks that no entry of the child's log was changed or removed, except by retention.
   * @throws ServiceError CHILD_NOT_FOUND for a text that is no id of a child
   */
  async verify(cid: string): Promise<AccessLogVerification> {
    if (!isUuid(cid)) throw new ServiceError('CHILD_NOT_FOUND');
    const chain = await this.reads.findChain(cid);
    if (!chain) return { entryCount: 0, brokenAt: null };
    const verification = await this.verifyChain(chain);
    if (verification.brokenAt === null) return verification;
    // Entries that expired meanwhile are missing.
    const current = await this.reads.findChain(cid);
    return current?.firstSequence === chain.firstSequence ? verification : this.verify(cid);
  }

  /** Deletes the log of an erased child. */
  erase(cid: string): Promise<void> {
    return this.reads.erase(cid);
  }

  @OnJob('userctx.access-log.delete-expired', { intervalMs: HOUR_MS })
  async deleteExpired(now: number): Promise<void> {
    const time = now - this.retentionMs;
    await processRows<string>(
      (after) => this.reads.findExpired(time, EXPIRY_BATCH_SIZE, after),
      (cid) => this.reads.deleteExpired(cid, time),
      (cid, err) => this.logger.error({ msg: 'Deletion of expired entries of an access log failed', cid, err }),
    );
  }

  private async verifyChain({
    cid,
    firstSequence,
    lastSequence,
    baseHash,
    lastHash,
  }: ChildReadChainEntity): Promise<AccessLogVerification> {
    const entryCount = lastSequence - firstSequence + 1;
    let position = { sequence: firstSequence - 1, hash: baseHash };
    while (position.sequence < lastSequence) {
      const first = position.sequence + 1;
      const last = Math.min(lastSequence, position.sequence + VERIFIED_PAGE_SIZE);
      const verified = verifyEntries(position, await this.reads.findRange(cid, first, last));
      if (typeof verified === 'number') return { entryCount, brokenAt: verified };
      if (verified.sequence < last) return { entryCount, brokenAt: verified.sequence + 1 };
      position = verified;
    }
    return { entryCount, brokenAt: position.hash.equals(lastHash) ? null : lastSequence };
  }
}

/** Adds an entry to a locked chain. */
function addToChain(chain: ChildReadChainEntity, { viewer, kind, hour }: ChildRead, now: number): ChildReadEntity {
  const sequence = chain.lastSequence + 1;
  const entry = { cid: chain.cid, sequence, viewer, kind, hour, recordedAt: now };
  const hash = hashEntry(chain.lastHash, entry);
  Object.assign(chain, { lastSequence: sequence, lastHash: hash, oldestAt: chain.oldestAt ?? now });
  return { ...entry, hash };
}

function keyOf({ viewer, kind, hour }: ChildRead): string {
  return `${viewer} ${kind} ${hour}`;
}

function toDto({ viewer, kind, hour }: ChildReadEntity): AccessLogEntryDto {
  const [prefix, id = ''] = viewer.split(':');
  return { viewer: { type: prefix === 'share' ? VIEWER_TYPE.SHARE_LINK : VIEWER_TYPE.USER, id }, kind, hour };
}
