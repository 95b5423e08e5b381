import { Inject, Injectable } from '@nestjs/common';
import { memberHasPermission, canSeeChildren } from '@family-watch/domain/families/contracts/membership';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { CallLogEntry } from '@family-watch/domain/messages/contracts/video-call';
import type { ListVideoCallsDto } from '@family-watch/domain/messages/dto/video-call.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { FamilyLookupService } from '../families/family-lookup.service.js';
import { CallLogRepository } from './call-log.repository.js';
import type { CallLogFilter } from './call-log.repository.js';
import type { VideoCall } from './video-call.js';

const CURSOR = /^(\d{1,16})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Calls of the past, newest first. */
@Injectable()
export class CallLogService {
  constructor(
    private readonly families: FamilyLookupService,
    private readonly log: CallLogRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Without a child the caller's own calls, with one those that the caller may see.
   * @throws ServiceError CHILD_NOT_FOUND, WATCH_UNBOUND, VALIDATION_FAILED for a cursor of no page
   */
  async list(
    caller: Principal,
    { cid, cursor, limit = DEFAULT_PAGE_LIMIT }: ListVideoCallsDto,
  ): Promise<Page<CallLogEntry>> {
    const after = cursor === undefined ? null : placeOf(cursor);
    const selection = await (caller.type === 'watch'
      ? this.ofWatch(Number(caller.id), cid)
      : this.ofMember(caller.id, cid));
    const calls = await this.log.list(selection, after, limit + 1);
    const page = calls.slice(0, limit);
    const last = calls.length > limit ? page.at(-1) : undefined;
    const now = this.clock.now();
    return {
      items: page.map((call) => entryOf(call, now)),
      nextCursor: last ? encodeCursor(last.createdAt, last.callId) : null,
    };
  }

  /** All calls of its child. */
  private async ofWatch(did: number, cid: string | undefined): Promise<CallLogFilter> {
    const bound = await this.families.findByWatch(did);
    if (!bound) throw new ServiceError('WATCH_UNBOUND');
    if (cid !== undefined && cid !== bound.cid) throw new ServiceError('CHILD_NOT_FOUND');
    return { children: [{ familyId: bound.family.familyId, cid: bound.cid }], userId: null };
  }

  /** Of families that one has left nothing is seen, not even what were one's own calls. */
  private async ofMember(userId: string, cid: string | undefined): Promise<CallLogFilter> {
    const known = (await this.families.findByMember(userId)).flatMap((family) =>
      family.children.map((child) => ({ familyId: family.familyId, cid: child.cid, members: family.members })),
    );
    if (cid === undefined) return { children: known, userId };
    const child = known.find((each) => each.cid === cid);
    const member = child?.members.find((each) => each.userId === userId);
    if (!child || !member) throw new ServiceError('CHILD_NOT_FOUND');
    const seesAll =
      canSeeChildren(member) &&
      (memberHasPermission(member, 'CALL', cid) || memberHasPermission(member, 'ALERTS', cid));
    return { children: [child], userId: seesAll ? null : userId };
  }
}

function placeOf(cursor: string): { createdAt: number; callId: string } {
  const [createdAt = '', callId = ''] = decodeCursor(cursor, CURSOR);
  return { createdAt: Number(createdAt), callId };
}

function entryOf(call: VideoCall, now: number): CallLogEntry {
  const { callId, cid, did, userId, direction, state, createdAt, acceptedAt, endedAt } = call;
  const duration = acceptedAt === null ? 0 : Math.max(0, (endedAt ?? now) - acceptedAt);
  return { callId, cid, did, userId, direction, state, started: createdAt, duration };
}
