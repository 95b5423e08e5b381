import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { FamilySnapshot } from './membership.js';

/**
 * Limits of a family. The limits keep the family's whole snapshot, with every permission of every member for every
 * child, below the maximum event size of 32 KiB.
 */
export const FAMILY_LIMITS = {
  children: 20,
  members: 12,
  pendingInvitations: 20,
  pendingApplications: 20,
  /**
   * Maximum number of ownership claims by one guardian in 24 hours. Each claim notifies the owner and all guardians.
   */
  claimsPerDay: 5,
} as const;

export const INVITATION_STATE = { PENDING: 'PENDING', ACCEPTED: 'ACCEPTED', CANCELLED: 'CANCELLED' } as const;
export type InvitationState = (typeof INVITATION_STATE)[keyof typeof INVITATION_STATE];

/** How long an invitation code is valid, in milliseconds (72 hours). */
export const INVITATION_TTL_MS = 72 * 60 * 60 * 1000;

/** States of a join request. Only the owner of the family decides on a join request. */
export const JOIN_REQUEST_STATE = {
  PENDING: 'PENDING',
  APPROVED: 'APPROVED',
  REJECTED: 'REJECTED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'EXPIRED',
} as const;
export type JoinRequestState = (typeof JOIN_REQUEST_STATE)[keyof typeof JOIN_REQUEST_STATE];

/** How long the owner can accept or reject a join request, in milliseconds (7 days). */
export const JOIN_REQUEST_TTL_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * How long a closed join request is retained, in milliseconds (90 days); a rejected request is retained as long as the
 * family exists.
 */
export const JOIN_REQUEST_RETENTION_MS = 90 * 24 * 60 * 60 * 1000;

/** How long the family code that a watch shows is valid, in seconds. */
export const FAMILY_CODE_TTL_SECONDS = 300;

/** States of an ownership claim, by which a guardian takes over a family whose owner is unreachable. */
export const OWNERSHIP_CLAIM_STATE = {
  OPEN: 'OPEN',
  REFUSED: 'REFUSED',
  /** The claimant withdrew the claim or is no longer a guardian. */
  WITHDRAWN: 'WITHDRAWN',
  GRANTED: 'GRANTED',
} as const;
export type OwnershipClaimState = (typeof OWNERSHIP_CLAIM_STATE)[keyof typeof OWNERSHIP_CLAIM_STATE];

/** How long the owner can refuse an ownership claim before the claim is granted, in milliseconds (7 days). */
export const OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS = 7 * 24 * 60 * 60 * 1000;

/** Key: `familyId`. Times: Unix milliseconds. */
export interface FamilyEvents {
  /** A member, child or watch of the family was added, changed or removed. The payload is the whole family. */
  'userctx.family.changed': FamilySnapshot;
  /**
   * A join request was created, decided, withdrawn or expired. `cid` and `did`: the child and the watch whose family
   * code was used, or `null` for an invitation.
   */
  'userctx.family-application.changed': {
    familyId: string;
    cid: string | null;
    did: number | null;
    applicationId: string;
    applicantUserId: string;
    state: JoinRequestState;
    time: number;
  };
  /** An ownership claim was opened or has ended. `by`: the principal that changed it; `null` for the service. */
  'userctx.ownership-claim.changed': {
    familyId: string;
    claimId: string;
    claimantUserId: string;
    state: OwnershipClaimState;
    by: PrincipalKey | null;
    time: number;
    /** Time until which the owner can refuse the claim. */
    deadline: number;
  };
  /** The ownership of the family passed from `fromUserId` to `toUserId`, by a transfer or a granted claim. */
  'userctx.family.transferred': { familyId: string; fromUserId: string; toUserId: string; time: number };
  /** The owner changed what a member may do, or removed the member (`removed`). */
  'userctx.member-access.changed': {
    familyId: string;
    userId: string;
    removed: boolean;
    by: PrincipalKey;
    time: number;
  };
  /** The family was dissolved; `memberUserIds` are the former members of the family. */
  'userctx.family.dissolved': { familyId: string; by: PrincipalKey; memberUserIds: string[]; time: number };
}
