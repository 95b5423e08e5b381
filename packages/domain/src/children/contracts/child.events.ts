import type { PrincipalKey } from '../../kernel/contracts/principal.js';

interface ChildFact {
  familyId: string;
  cid: string;
  by: PrincipalKey;
}

/** Key: `familyId`. */
export interface ChildEvents {
  'userctx.child.created': ChildFact;
  'userctx.child.updated': ChildFact & { timeZoneChanged: boolean };
  /** `did` is the watch that was unbound with it. */
  'userctx.child.deleted': ChildFact & { did: number | null };
  'userctx.child.restored': ChildFact;
  /** The seven days are over: nothing of the child is to be kept. */
  'userctx.child.erased': { familyId: string; cid: string };
}
