import type { OwnershipClaimEntity } from '@family-watch/domain/families/entities/family.entities';

/** A guardian's claim to the ownership of a family. */
export type OwnershipClaim = OwnershipClaimEntity;

export type NewClaim = Pick<OwnershipClaim, 'claimId' | 'familyId' | 'claimantUserId' | 'createdAt' | 'deadline'>;
