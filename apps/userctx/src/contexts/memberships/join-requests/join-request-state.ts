import { JOIN_REQUEST_STATE } from '@family-watch/domain/families/contracts/family';
import type { JoinRequestState } from '@family-watch/domain/families/contracts/family';

const { PENDING, APPROVED, REJECTED, CANCELLED, EXPIRED } = JOIN_REQUEST_STATE;

/**
 * An action on a join request. `hasNewInvitation`: the person's code belongs to an invitation that the owner created
 * after the last rejection of the person. `JOIN`: the person becomes a member with the code of an invitation, without a
 * join request.
 */
export type JoinRequestTransition =
  { type: 'APPLY' | 'JOIN'; hasNewInvitation: boolean } | { type: 'APPROVE' | 'REJECT' | 'CANCEL' | 'CLOSE' };

/**
 * Returns the next state, or `null` if the transition is not allowed. `current` is undefined for a person who has never
 * requested to join. A rejected person stays rejected until the owner invites that person again.
 */
export function nextJoinRequestState(
  current: JoinRequestState | undefined,
  transition: JoinRequestTransition,
): JoinRequestState | null {
  switch (transition.type) {
    case 'APPLY':
      return current === REJECTED && !transition.hasNewInvitation ? null : PENDING;
    case 'JOIN':
      return current === REJECTED && !transition.hasNewInvitation ? null : APPROVED;
    case 'APPROVE':
      return current === PENDING ? APPROVED : null;
    case 'REJECT':
      return current === PENDING || current === REJECTED ? REJECTED : null;
    case 'CANCEL':
      return current === PENDING || current === CANCELLED ? CANCELLED : null;
    case 'CLOSE':
      return current === PENDING ? EXPIRED : (current ?? null);
  }
}
