import { describe, expect, test } from '@jest/globals';
import { MAX_CONTACTS_PER_CHILD } from '@family-watch/domain/contacts/contracts/contact';
import { FAMILY_LIMITS } from '@family-watch/domain/families/contracts/family-limits';
import {
  dateOfDayNumber,
  dayNumber,
  MAX_SCHOOL_TIMES_PER_CHILD,
} from '@family-watch/domain/watch-settings/contracts/school-time';
import type { SchoolTime } from '@family-watch/domain/watch-settings/contracts/school-time';
import { MAX_EVENT_PAYLOAD_BYTES } from '@family-watch/event-bus/envelope';
import type { MemberContact } from '../contacts/contact-directory.service.js';
import { buildRulesContent } from './rules-content.js';

/** The maximum number of dates in one list of a school time. */
const MAX_DATES = 100;

const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const schoolTime = (change: Partial<SchoolTime> = {}): SchoolTime => ({
  schoolTimeId: uuid(1),
  label: 'Lessons',
  start: '08:00',
  end: '12:00',
  weekdays: [1, 2],
  holidays: [],
  extraDates: [],
  allowContacts: [],
  enabled: true,
  ...change,
});

const contact = (number: number, change: Partial<MemberContact> = {}): MemberContact => ({
  refId: uuid(number),
  userId: uuid(1_000 + number),
  canCall: true,
  canChat: true,
  canVideo: true,
  schoolAllowed: false,
  ...change,
});

const child = {
  familyId: uuid(7),
  familyVersion: 3,
  cid: uuid(8),
  timeZone: 'Asia/Shanghai',
  pausedOn: null,
  sosActive: false,
};

describe('buildRulesContent', () => {
  test('returns rules that fit into an event, even at every limit', () => {
    const dates = (first: string) =>
      Array.from({ length: MAX_DATES }, (_, index) => dateOfDayNumber(dayNumber(first) + 2 * index));
    const contacts = Array.from({ length: FAMILY_LIMITS.members }, (_, index) =>
      contact(index, { canCall: false, canChat: false, canVideo: false }),
    );
    const refIds = Array.from({ length: MAX_CONTACTS_PER_CHILD }, (_, at) => uuid(at));
    const schoolTimes = Array.from({ length: MAX_SCHOOL_TIMES_PER_CHILD }, () =>
      schoolTime({
        weekdays: [1, 2, 3, 4, 5, 6, 7],
        label: 'x'.repeat(64),
        allowContacts: refIds,
        holidays: dates('2240-01-01'),
        extraDates: dates('2241-01-01'),
      }),
    );
    const timeZone = 'America/Argentina/ComodRivadavia';
    const content = buildRulesContent({
      ...child,
      timeZone,
      pausedOn: '2026-03-06',
      familyVersion: 2_147_483_647,
      schoolTimes,
      contacts,
    });
    expect(content.schoolTimes.flatMap(({ holidays, extraDates }) => [...holidays, ...extraDates])).toHaveLength(4_000);
    expect(content.contacts.flatMap(({ allowedIn }) => allowedIn)).toHaveLength(12 * 20);
    const event = JSON.stringify({ ...content, version: 2_147_483_647 });
    expect(Buffer.byteLength(event)).toBeLessThanOrEqual(MAX_EVENT_PAYLOAD_BYTES);
  });

  test('omits names, numbers and references of contacts, and disabled school times', () => {
    const lessons = schoolTime({ allowContacts: [uuid(2), uuid(99)] });
    const schoolTimes = [schoolTime({ enabled: false, allowContacts: [uuid(1)] }), lessons];
    const content = buildRulesContent({ ...child, schoolTimes, contacts: [contact(1), contact(2)] });
    const rights = { canCall: true, canChat: true, canVideo: true, schoolAllowed: false };
    const { sosActive: _, ...expectedFields } = child;
    expect(content).toEqual({
      ...expectedFields,
      schoolTimes: [{ start: '08:00', end: '12:00', weekdays: [1, 2], holidays: [], extraDates: [] }],
      contacts: [
        { userId: uuid(1_001), ...rights, allowedIn: [] },
        { userId: uuid(1_002), ...rights, allowedIn: [0] },
      ],
    });
  });

  test('omits school times during an SOS and keeps the permissions of contacts', () => {
    const schoolTimes = [schoolTime({ allowContacts: [uuid(1)] })];
    const contacts = [contact(1, { canChat: false })];
    const content = buildRulesContent({ ...child, sosActive: true, schoolTimes, contacts });
    expect(content).toMatchObject({ schoolTimes: [], contacts: [{ canChat: false, allowedIn: [] }] });
  });

  test('returns equal rules for any order of contacts, and omits dates outside the supported range', () => {
    const holidays = ['1970-01-01', '2026-10-01', '9999-12-31'];
    const build = (contacts: MemberContact[]) =>
      buildRulesContent({ ...child, schoolTimes: [schoolTime({ holidays })], contacts });
    expect(build([contact(2), contact(1), contact(3)])).toEqual(build([contact(1), contact(3), contact(2)]));
    expect(build([]).schoolTimes[0]?.holidays).toEqual([dayNumber('2026-10-01')]);
  });
});
