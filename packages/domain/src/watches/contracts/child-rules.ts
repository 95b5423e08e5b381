import type { SchoolPause, SchoolRange } from './school-time.js';

/**
 * An enabled school time in the child rules. Dates are day numbers (`dayNumber`), because the maximum number of dates
 * as text would exceed the maximum size of an event.
 */
export interface ActiveSchoolTime extends Pick<SchoolRange, 'start' | 'end' | 'weekdays'> {
  holidays: number[];
  extraDates: number[];
}

/** The communication settings of a member, from the child's contact list. */
export interface ContactRule {
  userId: string;
  canCall: boolean;
  canChat: boolean;
  canVideo: boolean;
  /** True if the member may communicate during every school time. */
  schoolAllowed: boolean;
  /** Indexes in `schoolTimes` of the school times during which this member may communicate. */
  allowedIn: number[];
}

/**
 * All rules for communication with the child's watch, at one version. Each change publishes all rules, so a projection
 * needs to store only the highest version. The rules contain ids and plain values, no names or phone numbers.
 */
export interface ChildRules extends SchoolPause {
  familyId: string;
  /**
   * Version of the family from which `contacts` was built. `contacts` contains every member of this version. If a
   * consumer knows a newer version of the family, a member may be missing in `contacts`, because the rules are stale.
   */
  familyVersion: number;
  cid: string;
  version: number;
  /** IANA time zone. */
  timeZone: string;
  schoolTimes: ActiveSchoolTime[];
  contacts: ContactRule[];
}

/** Key: `familyId`. */
export interface ChildRulesEvents {
  'userctx.child-rules.changed': ChildRules;
}
