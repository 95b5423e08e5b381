import { OWNERSHIP_CLAIM_STATE } from '@family-watch/domain/families/contracts/family';
import type { OwnershipClaimState } from '@family-watch/domain/families/contracts/family';

const { OPEN, REFUSED, WITHDRAWN, GRANTED } = OWNERSHIP_CLAIM_STATE;

/** The final states of an ownership claim. */
export type ClaimEndState = Exclude<OwnershipClaimState, typeof OPEN>;

export type ClaimTransition = 'REFUSE' | 'WITHDRAW' | 'GRANT';

const END_STATES: Readonly<Record<ClaimTransition, ClaimEndState>> = {
  REFUSE: REFUSED,
  WITHDRAW: WITHDRAWN,
  GRANT: GRANTED,
};

/**
 * Returns the state after the transition. Repeating a transition returns the same state. Returns null when the claim
 * ended in another state.
 */
export function nextClaimState(state: OwnershipClaimState, transition: ClaimTransition): OwnershipClaimState | null {
  const end = END_STATES[transition];
  return state === OPEN || state === end ? end : null;
}
