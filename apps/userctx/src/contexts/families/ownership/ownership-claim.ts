import type { OwnershipClaimState } from '@family-watch/domain/families/contracts/ownership-claim';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';

/** A guardian's claim to the ownership of a family. Times in Unix milliseconds. */
export interface OwnershipClaim {
  claimId: string;
  familyId: string;
  claimantUserId: string;
  state: OwnershipClaimState;
  createdAt: number;
  deadline: number;
  endedAt: number | null;
  endedBy: PrincipalKey | null;
}

export type NewClaim = Pick<OwnershipClaim, 'claimId' | 'familyId' | 'claimantUserId' | 'createdAt' | 'deadline'>;

/** Position in the list of claims. */
export type ClaimCursor = Pick<OwnershipClaim, 'createdAt' | 'claimId'>;
