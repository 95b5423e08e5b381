import type { SchoolPause, SchoolRange } from '../../watch-settings/contracts/school-time.js';

/** A school time that is on. Dates are numbers of days (`dayNumber`): as text, the most that there can be do not fit. */
export interface ActiveSchoolTime extends Pick<SchoolRange, 'start' | 'end' | 'weekdays'> {
  holidays: number[];
  extraDates: number[];
}

/** What the child's contacts say of a member. */
export interface ContactRule {
  userId: string;
  canCall: boolean;
  canChat: boolean;
  canVideo: boolean;
  schoolAllowed: boolean;
  /** Places in `schoolTimes` of those during which this member is allowed all the same. */
  allowedIn: number[];
}

/**
 * Everything that decides who may reach the child's watch now, at one version: the whole of it with each change, so
 * that a projection keeps the highest version. Ids and plain values alone: no name, no number.
 */
export interface ChildRules extends SchoolPause {
  familyId: string;
  /**
   * The family that these contacts are of, at its version then. Members are contacts by themselves: who is missing is
   * none, unless the family is known at a newer version and the rules are late.
   */
  familyVersion: number;
  cid: string;
  version: number;
  /** IANA. */
  timeZone: string;
  schoolTimes: ActiveSchoolTime[];
  contacts: ContactRule[];
}
