import { Injectable } from '@nestjs/common';
import type { FriendshipParty } from '@family-watch/domain/friends/contracts/friend.events';
import { FRIEND_REQUEST_STATE } from '@family-watch/domain/messages/contracts/watch-notices';
import { UserctxOutbox } from '../../infrastructure/userctx.outbox.js';
import { isOpenFriendship, otherSide, nextFriendshipState } from './friendship-state.js';
import type { FriendshipTransition } from './friendship-state.js';
import { FriendshipRepository } from './friendship.repository.js';
import type { Friendship } from './friendship.repository.js';

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
    const after = { ...before, ...next, applicantDid, version: before.version + 1, changedAt: Date.now() };
    await this.friendships.save(after);
    // Blocking a child without an open friendship is not published to the other family.
    if (after.state !== before.state || after.applicant !== before.applicant) await this.publishChange(before, after);
    return after;
  }

  private async publishChange(before: Friendship, after: Friendship): Promise<void> {
    const { friendshipId, sides, applicant, applicantDid, state, version, changedAt: time } = after;
    const watches = await this.friendships.findWatches([sides.A.cid, sides.B.cid]);
    const partyOf = (side: 'A' | 'B'): FriendshipParty => ({
      ...sides[side],
      did: watches.get(sides[side].cid) ?? null,
    });
    // All events of a pair have the same key, whichever child is the applicant, so that their order is preserved.
    const key = sides.A.familyId;
    await this.outbox.append({
      name: 'userctx.friend-application.changed',
      key,
      payload: {
        applicationId: friendshipId,
        from: { ...partyOf(applicant), did: applicantDid },
        to: partyOf(otherSide(applicant)),
        state,
        time,
      },
    });
    const active = state === ACCEPTED;
    if (active === (before.state === ACCEPTED)) return;
    const payload = {
      friendshipId,
      version,
      sides: [partyOf('A'), partyOf('B')] as [FriendshipParty, FriendshipParty],
      active,
    };
    await this.outbox.append({ name: 'userctx.friendship.changed', key, payload: { ...payload, time } });
  }
}
