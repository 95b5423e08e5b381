import { Inject, Injectable } from '@nestjs/common';
import { memberHasPermission, canSeeChildren } from '@family-watch/domain/families/contracts/membership';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { CALL_LOG_RETENTION_MS } from '@family-watch/domain/messages/contracts/video-call';
import type {
  CallLogEntryDto,
  CallLogPageDto,
  ListVideoCallsDto,
} from '@family-watch/domain/messages/dto/video-call.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import { decodeTimeCursor, toPage } from '@family-watch/platform/database/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { CLOCK } from '../infrastructure/gateway-infrastructure.js';
import { FamilyLookupService } from '../projections/family-lookup.service.js';
import { VideoCallRepository, type CallLogFilter } from './video-call.repository.js';
import type { VideoCall } from './video-call.js';

const HOUR_MS = 60 * 60 * 1_000;
const RETENTION_BATCH_SIZE = 2_000;
const SIGNAL_BATCH_SIZE = 1_000;

/** Lists past calls, newest first, and deletes old calls and signals. */
@Injectable()
export class CallLogService {
  constructor(
    private readonly families: FamilyLookupService,
    private readonly calls: VideoCallRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Lists the caller's own calls, or, with `cid`, the calls of this child that the caller may see.
   * @throws ServiceError CHILD_NOT_FOUND, WATCH_UNBOUND, VALIDATION_FAILED for an invalid cursor
   */
  async list(
    caller: Principal,
    { cid, cursor, limit = DEFAULT_PAGE_LIMIT }: ListVideoCallsDto,
  ): Promise<CallLogPageDto> {
    const after = decodeTimeCursor(cursor);
    const filter = await (caller.type === 'watch'
      ? this.filterForWatch(Number(caller.id), cid)
      : this.filterForMember(caller.id, cid));
    const calls = await this.calls.list(filter, after, limit + 1);
    const { items, nextCursor } = toPage(calls, limit, ({ createdAt, callId }) => [createdAt, callId]);
    const now = this.clock.now();
    return { items: items.map((call) => toLogEntry(call, now)), nextCursor };
  }

  /** Deletes calls whose retention period is over, in batches. */
  @OnJob('gateway.video-calls.delete-expired-calls', { intervalMs: HOUR_MS })
  async deleteExpired(now: number): Promise<void> {
    while ((await this.calls.prune(now - CALL_LOG_RETENTION_MS, RETENTION_BATCH_SIZE)) === RETENTION_BATCH_SIZE);
  }

  /** Deletes expired call signals, so the IP addresses of the parties are not retained. */
  @OnJob('gateway.video-calls.delete-expired-signals', { intervalMs: 5_000 })
  async deleteExpiredSignals(now: number): Promise<void> {
    while ((await this.calls.deleteExpiredSignals(now, SIGNAL_BATCH_SIZE)) === SIGNAL_BATCH_SIZE);
  }

  /** Selects all calls of the watch's child. */
  private async filterForWatch(did: number, cid: string | undefined): Promise<CallLogFilter> {
    const binding = await this.families.findByWatch(did);
    if (!binding) throw new ServiceError('WATCH_UNBOUND');
    if (cid !== undefined && cid !== binding.cid) throw new ServiceError('CHILD_NOT_FOUND');
    return { children: [{ familyId: binding.family.familyId, cid: binding.cid }], userId: null };
  }

  /**
   * Selects the calls that a user may see. Excludes all calls in families that the user has left, even the user's own
   * calls.
   */
  private async filterForMember(userId: string, cid: string | undefined): Promise<CallLogFilter> {
    const children = (await this.families.findByMember(userId)).flatMap((family) =>
      family.children.map((child) => ({ familyId: family.familyId, cid: child.cid, members: family.members })),
    );
    if (cid === undefined) return { children, userId };
    const child = children.find((candidate) => candidate.cid === cid);
    const member = child?.members.find((candidate) => candidate.userId === userId);
    if (!child || !member) throw new ServiceError('CHILD_NOT_FOUND');
    const canSeeAllCalls =
      canSeeChildren(member) &&
      (memberHasPermission(member, 'CALL', cid) || memberHasPermission(member, 'ALERTS', cid));
    return { children: [child], userId: canSeeAllCalls ? null : userId };
  }
}

function toLogEntry(call: VideoCall, now: number): CallLogEntryDto {
  const { callId, cid, did, userId, direction, state, createdAt, acceptedAt, endedAt } = call;
  const duration = acceptedAt === null ? 0 : Math.max(0, (endedAt ?? now) - acceptedAt);
  return { callId, cid, did, userId, direction, state, started: createdAt, duration };
}
