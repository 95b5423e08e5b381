import type { ChildRules, ContactRule, ActiveSchoolTime } from '@family-watch/domain/child-rules/contracts/child-rules';
import { dayNumber } from '@family-watch/domain/watch-settings/contracts/school-time';
import type { SchoolTime } from '@family-watch/domain/watch-settings/contracts/school-time';
import type { MemberContact } from '../contacts/contact-directory.service.js';

/** Rules without their number: equal content is not told twice. */
export type RulesContent = Omit<ChildRules, 'version'>;

interface Settings extends Pick<ChildRules, 'familyId' | 'familyVersion' | 'cid' | 'timeZone' | 'pausedOn'> {
  schoolTimes: readonly SchoolTime[];
  contacts: readonly MemberContact[];
  /** Nothing keeps those who may help from the child meanwhile: there is no school time. */
  callsForHelp: boolean;
}

/** Numbers of days with five digits, from 1997 to 2243: with more of them the largest rules would not fit in an event. */
const DAYS = { FIRST: 10_000, LAST: 99_999 } as const;

/** What the settings of a child come to; the same settings give the same content, in whatever order they are read. */
export function buildRulesContent({ schoolTimes, contacts, callsForHelp, ...child }: Settings): RulesContent {
  const { familyId, familyVersion, cid, timeZone, pausedOn } = child;
  const enabled = schoolTimes.filter((schoolTime) => schoolTime.enabled && !callsForHelp);
  return {
    familyId,
    familyVersion,
    cid,
    timeZone,
    pausedOn,
    schoolTimes: enabled.map(ruledSchoolTime),
    contacts: contacts
      .map((contact) => contactRule(contact, enabled))
      .sort((one, other) => (one.userId < other.userId ? -1 : 1)),
  };
}

function ruledSchoolTime({ start, end, weekdays, holidays, extraDates }: SchoolTime): ActiveSchoolTime {
  return { start, end, weekdays, holidays: holidays.flatMap(daysOf), extraDates: extraDates.flatMap(daysOf) };
}

function daysOf(date: string): number[] {
  const day = dayNumber(date);
  return day >= DAYS.FIRST && day <= DAYS.LAST ? [day] : [];
}

function contactRule({ refId, ...contact }: MemberContact, schoolTimes: readonly SchoolTime[]): ContactRule {
  const { userId, canCall, canChat, canVideo, schoolAllowed } = contact;
  const allowedIn = schoolTimes.flatMap(({ allowContacts }, place) => (allowContacts.includes(refId) ? [place] : []));
  return { userId, canCall, canChat, canVideo, schoolAllowed, allowedIn };
}
