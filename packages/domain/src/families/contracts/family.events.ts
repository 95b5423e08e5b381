import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { JoinRequestState } from './join-request.js';
import type { FamilySnapshot } from './membership.js';
import type { OwnershipClaimState } from './ownership-claim.js';

/** Key: `familyId`. Times: Unix milliseconds. */
export interface FamilyEvents {
  /** A member, child or watch was added, changed or removed. */
  'userctx.family.changed': FamilySnapshot;
  /** A join request was created, decided, withdrawn or expired. `cid`: the child whose family code was used. */
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
    /** Time until which the owner can refuse the claim. */
    deadline: number;
  };
  /** The ownership was transferred. */
  'userctx.family.transferred': { familyId: string; fromUserId: string; toUserId: string; time: number };
  /** The family was dissolved; `memberUserIds` are the former members of the family. */
  'userctx.family.dissolved': { familyId: string; by: PrincipalKey; memberUserIds: string[]; time: number };
}
