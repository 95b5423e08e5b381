import { Injectable } from '@nestjs/common';
import type { FriendshipParty } from '@family-watch/domain/friends/contracts/friend.events';
import { FRIEND_REQUEST_STATE } from '@family-watch/domain/messages/contracts/watch-notices';
import { UserctxOutbox } from '../../infrastructure/userctx.outbox.js';
import { isOpenFriendship, otherSide, nextFriendshipState } from './friendship-state.js';
import type { FriendshipTransition } from './friendship-state.js';
import { FriendshipRepository } from './friendship.repository.js';
import type { Friendship } from './friendship.repository.js';

const { ACCEPTED } = FRIEND_REQUEST_STATE;

/** Takes the steps of friendships, in the caller's unit of work and with the pair locked, and tells of them. */
@Injectable()
export class FriendChangesService {
  constructor(
    private readonly friendships: FriendshipRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  /** @returns the friendship after the step, or null when the step is refused. `did`: the watch that applies. */
  async apply(before: Friendship, action: FriendshipTransition, did = before.applicantDid): Promise<Friendship | null> {
    const next = nextFriendshipState(before, action);
    if (next === null) return null;
    if (next === before) return before;
    const appliesAnew = action.type === 'APPLY' && (!isOpenFriendship(before) || next.applicant !== before.applicant);
    const applicantDid = appliesAnew ? did : before.applicantDid;
    const after = { ...before, ...next, applicantDid, version: before.version + 1, changedAt: Date.now() };
    await this.friendships.save(after);
    // Keeping somebody out who was out already is nobody else's business.
    if (after.state !== before.state || after.applicant !== before.applicant) await this.tell(before, after);
    return after;
  }

  private async tell(before: Friendship, after: Friendship): Promise<void> {
    const { friendshipId, sides, applicant, applicantDid, state, version, changedAt: time } = after;
    const watches = await this.friendships.findWatches([sides.A.cid, sides.B.cid]);
    const sideOf = (side: 'A' | 'B'): FriendshipParty => ({
      ...sides[side],
      did: watches.get(sides[side].cid) ?? null,
    });
    // One key for all that is said of a pair, whoever applies: else the end could overtake the beginning.
    const key = sides.A.familyId;
    await this.outbox.append({
      name: 'userctx.friend-application.changed',
      key,
      payload: {
        applicationId: friendshipId,
        from: { ...sideOf(applicant), did: applicantDid },
        to: sideOf(otherSide(applicant)),
        state,
        time,
      },
    });
    const active = state === ACCEPTED;
    if (active === (before.state === ACCEPTED)) return;
    const payload = {
      friendshipId,
      version,
      sides: [sideOf('A'), sideOf('B')] as [FriendshipParty, FriendshipParty],
      active,
    };
    await this.outbox.append({ name: 'userctx.friendship.changed', key, payload: { ...payload, time } });
  }
}
