import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { JoinRequestState } from './join-request.js';
import type { FamilySnapshot } from './membership.js';
import type { OwnershipClaimState } from './ownership-claim.js';

/** Key: `familyId`. Times: Unix milliseconds. */
export interface FamilyEvents {
  /** Anything about who belongs to the family changed. */
  'userctx.family.changed': FamilySnapshot;
  /** Somebody asked to become a member, or was answered. `cid`: through the contacts of which child. */
  'userctx.family-application.changed': {
    familyId: string;
    cid: string | null;
    did: number | null;
    applicationId: string;
    applicantUserId: string;
    state: JoinRequestState;
    time: number;
  };
  'userctx.ownership-claim.changed': {
    familyId: string;
    claimId: string;
    claimantUserId: string;
    state: OwnershipClaimState;
    by: PrincipalKey | null;
    time: number;
    /** Until then the owner can refuse. */
    deadline: number;
  };
  /** The family has another owner. */
  'userctx.family.transferred': { familyId: string; fromUserId: string; toUserId: string; time: number };
  /** The family is no more; `memberUserIds` are those who belonged to it. */
  'userctx.family.dissolved': { familyId: string; by: PrincipalKey; memberUserIds: string[]; time: number };
}
