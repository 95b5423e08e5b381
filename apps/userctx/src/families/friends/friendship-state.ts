import { FRIEND_REQUEST_STATE, type FriendRequestState } from '@family-watch/domain/messages/contracts/payloads';

const { APPLIED, CONFIRMED, ACCEPTED, REJECTED, ENDED } = FRIEND_REQUEST_STATE;

/** The two children of a friendship, ordered by their ids. */
export type FriendshipSide = 'A' | 'B';

export interface FriendshipState {
  state: FriendRequestState;
  applicant: FriendshipSide;
  /** Whether each family blocks the other child. While one family blocks, only that family can request a friendship. */
  blockedBy: Readonly<Record<FriendshipSide, boolean>>;
}

/**
 * Transitions of a friendship. `includesConsent`: a guardian made the request, which includes the consent of the
 * guardian's family. `CLOSE`: one of the children was deleted.
 */
export type FriendshipTransition =
  | { type: 'APPLY'; side: FriendshipSide; includesConsent: boolean }
  | { type: 'AGREE' | 'REJECT' | 'END' | 'BLOCK' | 'UNBLOCK'; side: FriendshipSide }
  | { type: 'CLOSE' };

/** The state of two children who have never requested a friendship. */
export const NO_FRIENDSHIP: FriendshipState = { state: ENDED, applicant: 'A', blockedBy: { A: false, B: false } };

const isPending = ({ state }: Pick<FriendshipState, 'state'>): boolean => state === APPLIED || state === CONFIRMED;

/** Returns whether the two children are friends or have a pending request. */
export const isOpenFriendship = (current: Pick<FriendshipState, 'state'>): boolean =>
  isPending(current) || current.state === ACCEPTED;

export function otherSide(side: FriendshipSide): FriendshipSide {
  return side === 'A' ? 'B' : 'A';
}

/**
 * Returns the state after the transition. Returns the same object when nothing changes, and null when the transition is
 * not allowed.
 */
export function nextFriendshipState(
  current: FriendshipState,
  transition: FriendshipTransition,
): FriendshipState | null {
  switch (transition.type) {
    case 'APPLY':
      return apply(current, transition.side, transition.includesConsent);
    case 'AGREE':
      return agree(current, transition.side);
    case 'REJECT':
      return reject(current, transition.side);
    case 'END':
      return current.state === ACCEPTED ? { ...current, state: ENDED } : null;
    case 'BLOCK':
      return block(current, transition.side);
    case 'UNBLOCK':
      return current.blockedBy[transition.side]
        ? { ...current, blockedBy: { ...current.blockedBy, [transition.side]: false } }
        : current;
    case 'CLOSE':
      return isOpenFriendship(current) ? { ...current, state: ENDED } : current;
  }
}

function apply(current: FriendshipState, side: FriendshipSide, includesConsent: boolean): FriendshipState | null {
  const { blockedBy } = current;
  if (blockedBy[otherSide(side)] || (blockedBy[side] && !includesConsent)) return null;
  if (isPending(current)) {
    if (!includesConsent) return current;
    // If `agree` returns null, the other child's watch has requested the friendship without the consent of its family.
    // The request of this side replaces that request, because it includes the consent of this side's family.
    return agree(current, side) ?? { ...current, applicant: side, state: CONFIRMED };
  }
  if (current.state === ACCEPTED) return current;
  return { state: includesConsent ? CONFIRMED : APPLIED, applicant: side, blockedBy: { ...blockedBy, [side]: false } };
}

function agree(current: FriendshipState, side: FriendshipSide): FriendshipState | null {
  const isApplicant = side === current.applicant;
  if (current.state === APPLIED) return isApplicant ? { ...current, state: CONFIRMED } : null;
  if (current.state === CONFIRMED) return isApplicant ? current : { ...current, state: ACCEPTED };
  return current.state === ACCEPTED ? current : null;
}

function reject(current: FriendshipState, side: FriendshipSide): FriendshipState | null {
  if (isPending(current)) return { ...current, state: REJECTED, blockedBy: { ...current.blockedBy, [side]: true } };
  return current.state === REJECTED && current.blockedBy[side] ? current : null;
}

function block(current: FriendshipState, side: FriendshipSide): FriendshipState {
  if (!isOpenFriendship(current) && current.blockedBy[side]) return current;
  const state = isPending(current) ? REJECTED : current.state === ACCEPTED ? ENDED : current.state;
  return { ...current, state, blockedBy: { ...current.blockedBy, [side]: true } };
}
