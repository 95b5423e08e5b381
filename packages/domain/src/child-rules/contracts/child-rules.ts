import type { SchoolPause, SchoolRange } from '../../watch-settings/contracts/school-time.js';

/** An enabled school time. Dates are day numbers (`dayNumber`); as text the maximum number of them exceeds an event. */
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
  schoolAllowed: boolean;
  /** Indexes in `schoolTimes` of those during which this member is allowed. */
  allowedIn: number[];
}

/**
 * All rules for communication with the child's watch, at one version. Each change publishes the full state, so that a
 * projection stores the highest version. It contains ids and plain values, no names or phone numbers.
 */
export interface ChildRules extends SchoolPause {
  familyId: string;
  /**
   * The family version that `contacts` was built from. Every member is a contact. If a member is missing and the family
   * is known at a newer version, the rules are stale; otherwise the user is not a contact.
   */
  familyVersion: number;
  cid: string;
  version: number;
  /** IANA time zone. */
  timeZone: string;
  schoolTimes: ActiveSchoolTime[];
  contacts: ContactRule[];
}
