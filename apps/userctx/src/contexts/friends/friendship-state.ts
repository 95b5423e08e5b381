import { FRIEND_REQUEST_STATE } from '@family-watch/domain/messages/contracts/watch-notices';
import type { FriendRequestState } from '@family-watch/domain/messages/contracts/watch-notices';

const { APPLIED, CONFIRMED, ACCEPTED, REJECTED, ENDED } = FRIEND_REQUEST_STATE;

/** The two children of a friendship, in the order of their ids. */
export type FriendshipSide = 'A' | 'B';

export interface FriendshipState {
  state: FriendRequestState;
  applicant: FriendshipSide;
  /** Whose family wants nothing of the other child; that family alone can begin anew. */
  blockedBy: Readonly<Record<FriendshipSide, boolean>>;
}

/** `agreed`: a guardian applies, so the own family agrees by it; a watch only asks. `CLOSE`: one of the children is gone. */
export type FriendshipTransition =
  | { type: 'APPLY'; side: FriendshipSide; agreed: boolean }
  | { type: 'AGREE' | 'REJECT' | 'END' | 'BLOCK' | 'UNBLOCK'; side: FriendshipSide }
  | { type: 'CLOSE' };

/** Two children who have nothing to do with each other. */
export const NO_FRIENDSHIP: FriendshipState = { state: ENDED, applicant: 'A', blockedBy: { A: false, B: false } };

const isPending = ({ state }: Pick<FriendshipState, 'state'>): boolean => state === APPLIED || state === CONFIRMED;

export const isOpenFriendship = (now: Pick<FriendshipState, 'state'>): boolean =>
  isPending(now) || now.state === ACCEPTED;

export function otherSide(side: FriendshipSide): FriendshipSide {
  return side === 'A' ? 'B' : 'A';
}

/** What the action makes of it: the same object when it changes nothing, `null` when it is refused. */
export function nextFriendshipState(now: FriendshipState, action: FriendshipTransition): FriendshipState | null {
  switch (action.type) {
    case 'APPLY':
      return apply(now, action.side, action.agreed);
    case 'AGREE':
      return agree(now, action.side);
    case 'REJECT':
      return reject(now, action.side);
    case 'END':
      return now.state === ACCEPTED ? { ...now, state: ENDED } : null;
    case 'BLOCK':
      return block(now, action.side);
    case 'UNBLOCK':
      return now.blockedBy[action.side] ? { ...now, blockedBy: { ...now.blockedBy, [action.side]: false } } : now;
    case 'CLOSE':
      return isOpenFriendship(now) ? { ...now, state: ENDED } : now;
  }
}

function apply(now: FriendshipState, side: FriendshipSide, agreed: boolean): FriendshipState | null {
  const { blockedBy } = now;
  if (blockedBy[otherSide(side)] || (blockedBy[side] && !agreed)) return null;
  if (isPending(now)) {
    if (!agreed) return now;
    // The other child's own family has not agreed to its application: this one is asked for by a family that has.
    return agree(now, side) ?? { ...now, applicant: side, state: CONFIRMED };
  }
  if (now.state === ACCEPTED) return now;
  return { state: agreed ? CONFIRMED : APPLIED, applicant: side, blockedBy: { ...blockedBy, [side]: false } };
}

function agree(now: FriendshipState, side: FriendshipSide): FriendshipState | null {
  const own = side === now.applicant;
  if (now.state === APPLIED) return own ? { ...now, state: CONFIRMED } : null;
  if (now.state === CONFIRMED) return own ? now : { ...now, state: ACCEPTED };
  return now.state === ACCEPTED ? now : null;
}

function reject(now: FriendshipState, side: FriendshipSide): FriendshipState | null {
  if (isPending(now)) return { ...now, state: REJECTED, blockedBy: { ...now.blockedBy, [side]: true } };
  return now.state === REJECTED && now.blockedBy[side] ? now : null;
}

function block(now: FriendshipState, side: FriendshipSide): FriendshipState {
  if (!isOpenFriendship(now) && now.blockedBy[side]) return now;
  const state = isPending(now) ? REJECTED : now.state === ACCEPTED ? ENDED : now.state;
  return { ...now, state, blockedBy: { ...now.blockedBy, [side]: true } };
}
