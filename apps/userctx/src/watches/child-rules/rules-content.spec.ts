import { describe, expect, test } from '@jest/globals';
import { MAX_CONTACTS_PER_CHILD } from '@family-watch/domain/families/contracts/contact';
import { FAMILY_LIMITS } from '@family-watch/domain/families/contracts/family';
import {
  dateOfDayNumber,
  dayNumber,
  MAX_SCHOOL_TIMES_PER_CHILD,
} from '@family-watch/domain/watches/contracts/school-time';
import type { SchoolTimeDto } from '@family-watch/domain/watches/dto/school-time.dto';
import { MAX_EVENT_PAYLOAD_BYTES } from '@family-watch/event-bus/envelope';
import type { MemberContact } from '../../families/contacts/member-contacts.service.js';
import { buildRulesContent } from './rules-content.js';

/** The maximum number of dates in one list of a school time. */
const MAX_DATES = 100;

const createUuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const createSchoolTime = (change: Partial<SchoolTimeDto> = {}): SchoolTimeDto => ({
  schoolTimeId: createUuid(1),
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

const createContact = (number: number, change: Partial<MemberContact> = {}): MemberContact => ({
  refId: createUuid(number),
  userId: createUuid(1_000 + number),
  canCall: true,
  canChat: true,
  canVideo: true,
  schoolAllowed: false,
  ...change,
});

const child = {
  familyId: createUuid(7),
  familyVersion: 3,
  cid: createUuid(8),
  timeZone: 'Asia/Shanghai',
  pausedOn: null,
  sosActive: false,
};

describe('buildRulesContent', () => {
  test('returns rules that fit into an event, even at every limit', () => {
    const dates = (first: string) =>
      Array.from({ length: MAX_DATES }, (_, index) => dateOfDayNumber(dayNumber(first) + 2 * index));
    const contacts = Array.from({ length: FAMILY_LIMITS.members }, (_, index) =>
      createContact(index, { canCall: false, canChat: false, canVideo: false }),
    );
    const refIds = Array.from({ length: MAX_CONTACTS_PER_CHILD }, (_, at) => createUuid(at));
    const schoolTimes = Array.from({ length: MAX_SCHOOL_TIMES_PER_CHILD }, () =>
      createSchoolTime({
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

  test('omits disabled school times, and the names, phone numbers and `refId` of contacts', () => {
    const lessons = createSchoolTime({ allowContacts: [createUuid(2), createUuid(99)] });
    const schoolTimes = [createSchoolTime({ enabled: false, allowContacts: [createUuid(1)] }), lessons];
    const content = buildRulesContent({ ...child, schoolTimes, contacts: [createContact(1), createContact(2)] });
    const permissions = { canCall: true, canChat: true, canVideo: true, schoolAllowed: false };
    const { sosActive: _, ...expectedFields } = child;
    expect(content).toEqual({
      ...expectedFields,
      schoolTimes: [{ start: '08:00', end: '12:00', weekdays: [1, 2], holidays: [], extraDates: [] }],
      contacts: [
        { userId: createUuid(1_001), ...permissions, allowedIn: [] },
        { userId: createUuid(1_002), ...permissions, allowedIn: [0] },
      ],
    });
  });

  test('omits school times during an SOS and keeps the permissions of contacts', () => {
    const schoolTimes = [createSchoolTime({ allowContacts: [createUuid(1)] })];
    const contacts = [createContact(1, { canChat: false })];
    const content = buildRulesContent({ ...child, sosActive: true, schoolTimes, contacts });
    expect(content).toMatchObject({ schoolTimes: [], contacts: [{ canChat: false, allowedIn: [] }] });
  });

  test('returns equal rules for any order of contacts, and omits holidays outside the range of published days', () => {
    const holidays = ['1970-01-01', '2026-10-01', '9999-12-31'];
    const build = (contacts: MemberContact[]) =>
      buildRulesContent({ ...child, schoolTimes: [createSchoolTime({ holidays })], contacts });
    expect(build([createContact(2), createContact(1), createContact(3)])).toEqual(
      build([createContact(1), createContact(3), createContact(2)]),
    );
    expect(build([]).schoolTimes[0]?.holidays).toEqual([dayNumber('2026-10-01')]);
  });
});
