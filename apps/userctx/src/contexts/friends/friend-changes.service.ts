import { Injectable } from '@nestjs/common';
import type { FriendEvents, FriendshipParty } from '@family-watch/domain/friends/contracts/friend';
import type { SnapshotVersion } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { FRIEND_REQUEST_STATE } from '@family-watch/domain/messages/contracts/payloads';
import { UserctxOutbox } from '../../infrastructure/userctx-infrastructure.js';
import { isOpenFriendship, otherSide, nextFriendshipState } from './friendship-state.js';
import type { FriendshipSide, FriendshipTransition } from './friendship-state.js';
import { FriendshipRepository } from './friendship.repository.js';
import type { Friendship } from './friendship.repository.js';

type FriendshipPayload = FriendEvents['userctx.friendship.changed'];

const { ACCEPTED } = FRIEND_REQUEST_STATE;

/**
 * Applies transitions of friendships and publishes them. Must be called in the caller's transaction with the pair
 * locked.
 */
@Injectable()
export class FriendChangesService {
  constructor(
    private readonly friendships: FriendshipRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  /**
   * Applies a transition.
   * @param did the watch that requests the friendship
   * @returns the friendship after the transition, or null when the transition is not allowed
   */
  async apply(
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

  /** Returns the current states of these friendships, with the key of their events. */
  async find(friendshipIds: readonly string[]): Promise<{ key: string; payload: FriendshipPayload }[]> {
    const found = await this.friendships.findAll(friendshipIds);
    return Promise.all(
      found.map(async (friendship) => ({
        key: keyOf(friendship),
        payload: this.payloadOf(friendship, await this.partiesOf(friendship)),
      })),
    );
  }

  private async publishChange(before: Friendship, after: Friendship): Promise<void> {
    const { friendshipId, applicant, applicantDid, state, changedAt: time } = after;
    const parties = await this.partiesOf(after);
    const key = keyOf(after);
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

/** All events of a pair have the same key, whichever child is the applicant, so that their order is preserved. */
function keyOf({ sides }: Friendship): string {
  return sides.A.familyId;
}

function isActive({ state }: Friendship): boolean {
  return state === ACCEPTED;
}
