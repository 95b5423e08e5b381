import type { PrincipalKey } from '../../kernel/contracts/principal.js';

/** Genders of specification 2.4. The specification does not define the value 1. */
export const GENDER = { UNKNOWN: 0, MAN: 2, WOMAN: 3 } as const;
export type Gender = (typeof GENDER)[keyof typeof GENDER];

/** How long a deleted child can be restored, in milliseconds (seven days). */
export const CHILD_RESTORE_WINDOW_MS = 7 * 24 * 60 * 60 * 1000;

/** Largest goal of steps per day. */
export const MAX_STEP_GOAL = 100_000;

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
  /** `did` is the watch that was unbound when the child was deleted. */
  'userctx.child.restored': ChildEventPayload & { did?: number | null };
  /** The seven-day restore window has ended. Consumers must delete all data of the child. */
  'userctx.child.erased': { familyId: string; cid: string };
}
