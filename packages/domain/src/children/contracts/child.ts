import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { Location } from '../../locations/contracts/location.js';

/** Genders of specification 2.4. The specification does not define the value 1. */
export const GENDER = { UNKNOWN: 0, MAN: 2, WOMAN: 3 } as const;
export type Gender = (typeof GENDER)[keyof typeof GENDER];

/** How long a deleted child can be restored, in milliseconds (seven days). */
export const CHILD_RESTORE_WINDOW_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * The child's watch as GetChild returns it (specification 2.2). `battery` (per cent), `signal` and `signalMax` are 0
 * until the watch has reported them.
 */
export interface ChildDevice {
  did: number;
  battery: number;
  signal: number;
  signalMax: number;
  /**
   * Ticket for the family cloud. The ticket restricts the operations that the bearer of an access token may perform and
   * grants no permission itself.
   */
  ticket: string;
}

/** An item of GetChild's list (specification 2.1). */
export interface ChildSummary {
  cid: string;
  /** Number of steps since midnight in the child's time zone. */
  stepCount: number;
  name: string;
  avatar?: string;
  device: ChildDevice | null;
  lastLocation: Location | null;
}

/** Largest goal of steps per day. */
export const MAX_STEP_GOAL = 100_000;

/** What the child's own watch may show about the child. */
export type WatchChild = Pick<ChildDetail, 'cid' | 'name' | 'avatar' | 'timeZone' | 'stepGoal'>;

/** All fields of a child: those of specification 2.5, `familyId`, `timeZone` and `stepGoal`. */
export interface ChildDetail {
  cid: string;
  familyId: string;
  name: string;
  phoneNumber: string;
  /** Country calling code, with `+`. */
  areaCode: string;
  avatar?: string;
  birthday?: string;
  /** What the child calls itself. */
  appellation: string;
  gender: Gender;
  /** 100 to 200; the specification gives no unit for weight and height. */
  weight: number;
  height: number;
  /** IANA time zone. */
  timeZone: string;
  /** Steps per day; null without a goal. */
  stepGoal: number | null;
}

/** A deleted child that its owner can restore. */
export interface DeletedChild extends Pick<ChildDetail, 'cid' | 'familyId' | 'name' | 'avatar'> {
  /** Unix milliseconds. */
  deletedAt: number;
  /** Until when the child can be restored, in Unix milliseconds. */
  restorableUntil: number;
}

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
