import type { PrincipalKey } from '../../kernel/contracts/principal.js';

interface ChildEventPayload {
  familyId: string;
  cid: string;
  by: PrincipalKey;
}

/** Key: `familyId`. */
export interface ChildEvents {
  'userctx.child.created': ChildEventPayload;
  'userctx.child.updated': ChildEventPayload & { timeZoneChanged: boolean };
  /** `did` is the watch that was unbound when the child was deleted. */
  'userctx.child.deleted': ChildEventPayload & { did: number | null };
  'userctx.child.restored': ChildEventPayload;
  /** The seven-day restore window has ended. Consumers must delete all data of the child. */
  'userctx.child.erased': { familyId: string; cid: string };
}
