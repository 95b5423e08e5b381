import { Injectable } from '@nestjs/common';
import {
  FRIEND_CODE_TTL_SECONDS,
  MAX_FRIENDS_PER_CHILD,
  type FriendEvents,
  type FriendshipParty,
} from '@family-watch/domain/families/contracts/friend';
import type {
  ApplyFriendDto,
  FriendCodeDto,
  FriendDto,
  FriendListDto,
  FriendReferenceDto,
} from '@family-watch/domain/families/dto/friend.dto';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Snapshot, SnapshotVersion } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { FRIEND_REQUEST_STATE } from '@family-watch/domain/messages/contracts/payloads';
import { generateHumanReadableCode, normalizeHumanReadableCode } from '@family-watch/platform/auth/random-codes';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxUnitOfWork, UserctxOutbox } from '../../infrastructure/userctx-infrastructure.js';
import { AttemptLimiterService } from '../../accounts/attempts/attempt-limiter.service.js';
import { FamilyAccessService } from '../family-access.service.js';
import { FamilyRosterService, type ChildLink } from '../family-roster.service.js';
import type { ChildAction } from '../permission-matrix.js';
import { WatchCodes } from '../watch-codes.js';
import {
  isOpenFriendship,
  otherSide,
  nextFriendshipState,
  type FriendshipSide,
  type FriendshipTransition,
} from './friendship-state.js';
import { FriendshipRepository, type Friendship, type FriendshipView } from './friendship.repository.js';

/** Number of characters of a friend code. The code has 50 random bits, and a child can read it out and type it. */
const FRIEND_CODE_LENGTH = 10;
const CODE_EXPIRY_INTERVAL_MS = 60_000;

type FriendshipPayload = FriendEvents['userctx.friendship.changed'];

/**
 * Manages friendships between children. Both families must agree before the children can talk. A guardian's request
 * includes the consent of the guardian's family; a watch's request includes no consent. After a family rejects or
 * blocks a child, the child's requests to that family's child fail as if the code were invalid, until the family
 * unblocks the child or requests the friendship itself. The caller's family is locked before the pair of children; the
 * other family is never locked.
 */
@Injectable()
export class FriendsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly limiter: AttemptLimiterService,
    private readonly codes: WatchCodes,
    private readonly friendships: FriendshipRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  /**
   * Creates the code that the watch shows. Invalidates the watch's previous code.
   * @throws ServiceError WATCH_UNBOUND
   */
  async createCode(watch: Principal): Promise<FriendCodeDto> {
    const friendCode = generateHumanReadableCode(FRIEND_CODE_LENGTH);
    const did = Number(watch.id);
    await this.unitOfWork.run(async () => {
      if (!(await this.roster.findChildOfWatch(did))) throw new ServiceError('WATCH_UNBOUND');
      await this.friendships.replaceCode(
        did,
        this.digestFriendCode(friendCode),
        Date.now() + FRIEND_CODE_TTL_SECONDS * 1_000,
      );
    });
    return { friendCode, expiresIn: FRIEND_CODE_TTL_SECONDS };
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING */
  async list(caller: Principal, did: number): Promise<FriendListDto> {
    const child = await this.access.requireForWatch(caller, did, 'SEE_CONTACTS');
    const items = await this.friendships.findByChild(child);
    return { items: items.map(toDto), nextCursor: null };
  }

  /**
   * Requests a friendship. Permissions are checked before the friend code. Every attempt, valid or not, is counted
   * before the code is evaluated, which limits repeated requests and withdrawals. Requesting the same child again
   * returns the open request.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, RATE_LIMITED, CODE_INVALID, LIMIT_REACHED
   */
  async requestFriendship(caller: Principal, { did, friendCode }: ApplyFriendDto): Promise<FriendDto> {
    const includesConsent = caller.type === 'user';
    const action: ChildAction = includesConsent ? 'CHANGE_CONTACTS' : 'SEE_CONTACTS';
    await this.access.requireForWatch(caller, did, action);
    await this.limiter.consume('friend-code.caller', principalKey(caller));
    const digest = this.digestFriendCode(normalizeHumanReadableCode(friendCode));
    return this.unitOfWork.run(async () => {
      const child = await this.access.requireForWatch(caller, did, action);
      const other = await this.friendships.findChildByCode(digest, Date.now());
      if (!other || other.cid === child.cid) throw new ServiceError('CODE_INVALID');
      const before = await this.friendships.lockPair({ ...child, did }, other, Date.now());
      const after = await this.transition(before, { type: 'APPLY', side: sideOf(before, child), includesConsent }, did);
      if (!after) throw new ServiceError('CODE_INVALID');
      // The limit is checked last, because LIMIT_REACHED must not reveal to a blocked child that the code was valid.
      if (!isOpenFriendship(before)) await this.assertBelowLimit(child, other);
      return this.findDto(child, after);
    });
  }

  /**
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, APPLICATION_NOT_FOUND
   * @throws ServiceError CONFLICT when the other family must agree first
   */
  confirm(caller: Principal, request: FriendReferenceDto): Promise<FriendDto> {
    return this.unitOfWork.run(async () => {
      const { child, friendship } = await this.lockFriendship(caller, request, 'APPLICATION_NOT_FOUND');
      const after = await this.transition(friendship, { type: 'AGREE', side: sideOf(friendship, child) });
      if (!after) throw new ServiceError('CONFLICT');
      return this.findDto(child, after);
    });
  }

  /**
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, APPLICATION_NOT_FOUND
   * @throws ServiceError CONFLICT when the request is already decided
   */
  async reject(caller: Principal, request: FriendReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { child, friendship } = await this.lockFriendship(caller, request, 'APPLICATION_NOT_FOUND');
      const after = await this.transition(friendship, { type: 'REJECT', side: sideOf(friendship, child) });
      if (!after) throw new ServiceError('CONFLICT');
    });
  }

  /**
   * Ends a friendship; either child may request it again.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, FRIEND_NOT_FOUND
   */
  async delete(caller: Principal, request: FriendReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { child, friendship } = await this.lockFriendship(caller, request, 'FRIEND_NOT_FOUND');
      const after = await this.transition(friendship, { type: 'END', side: sideOf(friendship, child) });
      if (!after) throw new ServiceError('FRIEND_NOT_FOUND');
    });
  }

  /**
   * Ends a friendship or request and blocks the other child.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, FRIEND_NOT_FOUND
   */
  async block(caller: Principal, request: FriendReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { child, friendship } = await this.lockFriendship(caller, request, 'FRIEND_NOT_FOUND');
      await this.transition(friendship, { type: 'BLOCK', side: sideOf(friendship, child) });
    });
  }

  /**
   * Allows the other child to request a friendship again; does not restore a previous friendship. Idempotent.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, FRIEND_NOT_FOUND
   */
  async unblock(caller: Principal, request: FriendReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { child, friendship } = await this.lockFriendship(caller, request, 'FRIEND_NOT_FOUND');
      await this.transition(friendship, { type: 'UNBLOCK', side: sideOf(friendship, child) });
    });
  }

  @OnJob('userctx.friends.delete-expired-codes', { intervalMs: CODE_EXPIRY_INTERVAL_MS })
  async deleteExpiredCodes(now: number): Promise<void> {
    await this.friendships.deleteExpiredCodes(now);
  }

  /**
   * Applies a transition, and stores and publishes the result.
   * @param did the watch that requests the friendship
   * @returns the friendship after the transition, or null when the transition is not allowed
   */
  async transition(
    before: Friendship,
    transition: FriendshipTransition,
    did = before.applicantDid,
  ): Promise<Friendship | null> {
    const next = nextFriendshipState(before, transition);
    if (next === null) return null;
    if (next === before) return before;
    const isNewRequest =
      transition.type === 'APPLY' && (!isOpenFriendship(before) || next.applicant !== before.applicant);
    const applicantDid = isNewRequest ? did : before.applicantDid;
    const version = before.version + 1;
    const changed = { ...before, ...next, applicantDid, version, changedAt: Date.now() };
    const after = isActive(changed) === isActive(before) ? changed : { ...changed, publishedVersion: version };
    await this.friendships.save(after);
    // Blocking a child without an open friendship is not published to the other family.
    if (after.state !== before.state || after.applicant !== before.applicant) await this.publishChange(before, after);
    return after;
  }

  listVersions(after: string | null, limit: number): Promise<SnapshotVersion[]> {
    return this.friendships.listVersions(after, limit);
  }

  /** Returns the current states of these friendships, in the form in which they are published. */
  async find(friendshipIds: readonly string[]): Promise<Snapshot[]> {
    const found = await this.friendships.findAll(friendshipIds);
    return Promise.all(
      found.map(async (friendship) => {
        const payload = this.payloadOf(friendship, await this.partiesOf(friendship));
        return { id: payload.friendshipId, version: payload.version, key: eventKeyOf(friendship), payload };
      }),
    );
  }

  private async lockFriendship(caller: Principal, { did, applicationId }: FriendReferenceDto, notFound: ErrorReason) {
    const child = await this.access.requireForWatch(caller, did, 'CHANGE_CONTACTS');
    const friendship = isUuid(applicationId) ? await this.friendships.lock(child, applicationId) : undefined;
    if (!friendship) throw new ServiceError(notFound);
    return { child, friendship };
  }

  /** Must be called after the new friendship is stored, because the counts of friends and requests must include it. */
  private async assertBelowLimit(...children: readonly ChildLink[]): Promise<void> {
    for (const { cid } of children) {
      if ((await this.friendships.countOpen(cid)) > MAX_FRIENDS_PER_CHILD) throw new ServiceError('LIMIT_REACHED');
    }
  }

  private async findDto(child: ChildLink, { friendshipId }: Friendship): Promise<FriendDto> {
    const [view] = await this.friendships.findByChild(child, friendshipId);
    if (!view) throw new Error('The friendship is not visible to its child');
    return toDto(view);
  }

  private digestFriendCode(code: string): Buffer {
    return this.codes.digest('friend', code);
  }

  private async publishChange(before: Friendship, after: Friendship): Promise<void> {
    const { friendshipId, applicant, applicantDid, state, changedAt: time } = after;
    const parties = await this.partiesOf(after);
    const key = eventKeyOf(after);
    await this.outbox.append({
      name: 'userctx.friend-application.changed',
      key,
      payload: {
        applicationId: friendshipId,
        from: { ...parties[applicant], did: applicantDid },
        to: parties[otherSide(applicant)],
        state,
        time,
      },
    });
    if (after.publishedVersion !== after.version) return;
    await this.outbox.append({ name: 'userctx.friendship.changed', key, payload: this.payloadOf(after, parties) });
  }

  private async partiesOf({ sides }: Friendship): Promise<Record<FriendshipSide, FriendshipParty>> {
    const watches = await this.friendships.findWatches([sides.A.cid, sides.B.cid]);
    const partyOf = (side: FriendshipSide): FriendshipParty => ({
      ...sides[side],
      did: watches.get(sides[side].cid) ?? null,
    });
    return { A: partyOf('A'), B: partyOf('B') };
  }

  private payloadOf(friendship: Friendship, { A, B }: Record<FriendshipSide, FriendshipParty>): FriendshipPayload {
    const { friendshipId, version, changedAt: time } = friendship;
    return { friendshipId, version, sides: [A, B], active: isActive(friendship), time };
  }
}

function sideOf({ sides }: Friendship, { cid }: ChildLink): FriendshipSide {
  return sides.A.cid === cid ? 'A' : 'B';
}

function toDto({ friendshipId, ...fields }: FriendshipView): FriendDto {
  return { applicationId: friendshipId, ...fields };
}

/** All events of a pair have the same key, whichever child is the applicant, so that their order is preserved. */
function eventKeyOf({ sides }: Friendship): string {
  return sides.A.familyId;
}

function isActive({ state }: Friendship): boolean {
  return state === FRIEND_REQUEST_STATE.ACCEPTED;
}
