import { OWNERSHIP_CLAIM_STATE } from '@family-watch/domain/families/contracts/ownership-claim';
import type { OwnershipClaimState } from '@family-watch/domain/families/contracts/ownership-claim';

const { OPEN, REFUSED, WITHDRAWN, GRANTED } = OWNERSHIP_CLAIM_STATE;

/** How a claim ends. */
export type ClaimEndState = Exclude<OwnershipClaimState, typeof OPEN>;

export type ClaimTransition = 'REFUSE' | 'WITHDRAW' | 'GRANT';

const END_OF: Readonly<Record<ClaimTransition, ClaimEndState>> = {
  REFUSE: REFUSED,
  WITHDRAW: WITHDRAWN,
  GRANT: GRANTED,
};

/** Where the step leads: the same state when it has been taken before, `null` when the claim ended another way. */
export function nextClaimState(now: OwnershipClaimState, step: ClaimTransition): OwnershipClaimState | null {
  const end = END_OF[step];
  return now === OPEN || now === end ? end : null;
}
