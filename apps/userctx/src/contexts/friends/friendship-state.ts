import { FRIEND_APPLICATION_STATE } from '@family-watch/domain/messages/contracts/watch-notices';
import type { FriendApplicationState } from '@family-watch/domain/messages/contracts/watch-notices';

const { APPLIED, CONFIRMED, ACCEPTED, REJECTED, ENDED } = FRIEND_APPLICATION_STATE;

/** The two children of a friendship, in the order of their ids. */
export type Side = 'A' | 'B';

export interface FriendshipState {
  state: FriendApplicationState;
  applicant: Side;
  /** Whose family wants nothing of the other child; that family alone can begin anew. */
  keptOutBy: Readonly<Record<Side, boolean>>;
}

/** `agreed`: a guardian applies, so the own family agrees by it; a watch only asks. `CLOSE`: one of the children is gone. */
export type FriendshipAction =
  | { type: 'APPLY'; side: Side; agreed: boolean }
  | { type: 'AGREE' | 'REJECT' | 'END' | 'BLOCK' | 'UNBLOCK'; side: Side }
  | { type: 'CLOSE' };

/** Two children who have nothing to do with each other. */
export const STRANGERS: FriendshipState = { state: ENDED, applicant: 'A', keptOutBy: { A: false, B: false } };

const isPending = ({ state }: Pick<FriendshipState, 'state'>): boolean => state === APPLIED || state === CONFIRMED;

export const isOpen = (now: Pick<FriendshipState, 'state'>): boolean => isPending(now) || now.state === ACCEPTED;

export function otherSide(side: Side): Side {
  return side === 'A' ? 'B' : 'A';
}

/** What the action makes of it: the same object when it changes nothing, `null` when it is refused. */
export function stepFriendship(now: FriendshipState, action: FriendshipAction): FriendshipState | null {
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
      return now.keptOutBy[action.side] ? { ...now, keptOutBy: { ...now.keptOutBy, [action.side]: false } } : now;
    case 'CLOSE':
      return isOpen(now) ? { ...now, state: ENDED } : now;
  }
}

function apply(now: FriendshipState, side: Side, agreed: boolean): FriendshipState | null {
  const { keptOutBy } = now;
  if (keptOutBy[otherSide(side)] || (keptOutBy[side] && !agreed)) return null;
  if (isPending(now)) {
    if (!agreed) return now;
    // The other child's own family has not agreed to its application: this one is asked for by a family that has.
    return agree(now, side) ?? { ...now, applicant: side, state: CONFIRMED };
  }
  if (now.state === ACCEPTED) return now;
  return { state: agreed ? CONFIRMED : APPLIED, applicant: side, keptOutBy: { ...keptOutBy, [side]: false } };
}

function agree(now: FriendshipState, side: Side): FriendshipState | null {
  const own = side === now.applicant;
  if (now.state === APPLIED) return own ? { ...now, state: CONFIRMED } : null;
  if (now.state === CONFIRMED) return own ? now : { ...now, state: ACCEPTED };
  return now.state === ACCEPTED ? now : null;
}

function reject(now: FriendshipState, side: Side): FriendshipState | null {
  if (isPending(now)) return { ...now, state: REJECTED, keptOutBy: { ...now.keptOutBy, [side]: true } };
  return now.state === REJECTED && now.keptOutBy[side] ? now : null;
}

function block(now: FriendshipState, side: Side): FriendshipState {
  if (!isOpen(now) && now.keptOutBy[side]) return now;
  const state = isPending(now) ? REJECTED : now.state === ACCEPTED ? ENDED : now.state;
  return { ...now, state, keptOutBy: { ...now.keptOutBy, [side]: true } };
}
