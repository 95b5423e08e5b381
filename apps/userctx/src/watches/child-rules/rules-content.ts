import type { ChildRules, ContactRule, ActiveSchoolTime } from '@family-watch/domain/watches/contracts/child-rules';
import { dayNumber } from '@family-watch/domain/watches/contracts/school-time';
import type { SchoolTimeDto } from '@family-watch/domain/watches/dto/school-time.dto';
import type { MemberContact } from '../../families/contacts/member-contacts.service.js';

/** The rules of a child without the version of the rules. Unchanged rules are not published again. */
export type RulesContent = Omit<ChildRules, 'version'>;

/** The settings of a child from which the rules are built. */
interface ChildSettings extends Pick<ChildRules, 'familyId' | 'familyVersion' | 'cid' | 'timeZone' | 'pausedOn'> {
  schoolTimes: readonly SchoolTimeDto[];
  contacts: readonly MemberContact[];
  /** True during an SOS. School times do not apply during an SOS, so that nothing blocks contacts who could help. */
  sosActive: boolean;
}

/**
 * Range of published day numbers: five digits, from 1997 to 2243. If the day numbers had more digits, the largest rules
 * would not fit into an event.
 */
const PUBLISHED_DAY_RANGE = { FIRST: 10_000, LAST: 99_999 } as const;

/**
 * Builds the rules from a child's settings. The result does not depend on the order in which the settings were read.
 */
export function buildRulesContent({ schoolTimes, contacts, sosActive, ...child }: ChildSettings): RulesContent {
  const { familyId, familyVersion, cid, timeZone, pausedOn } = child;
  const enabled = schoolTimes.filter((schoolTime) => schoolTime.enabled && !sosActive);
  return {
    familyId,
    familyVersion,
    cid,
    timeZone,
    pausedOn,
    schoolTimes: enabled.map(toActiveSchoolTime),
    contacts: contacts
      .map((contact) => toContactRule(contact, enabled))
      .sort((one, other) => (one.userId < other.userId ? -1 : 1)),
  };
}

function toActiveSchoolTime({ start, end, weekdays, holidays, extraDates }: SchoolTimeDto): ActiveSchoolTime {
  return {
    start,
    end,
    weekdays,
    holidays: holidays.flatMap(toPublishedDays),
    extraDates: extraDates.flatMap(toPublishedDays),
  };
}

function toPublishedDays(date: string): number[] {
  const day = dayNumber(date);
  return day >= PUBLISHED_DAY_RANGE.FIRST && day <= PUBLISHED_DAY_RANGE.LAST ? [day] : [];
}

function toContactRule({ refId, ...contact }: MemberContact, schoolTimes: readonly SchoolTimeDto[]): ContactRule {
  const { userId, canCall, canChat, canVideo, schoolAllowed } = contact;
  const allowedIn = schoolTimes.flatMap(({ allowContacts }, index) => (allowContacts.includes(refId) ? [index] : []));
  return { userId, canCall, canChat, canVideo, schoolAllowed, allowedIn };
}
