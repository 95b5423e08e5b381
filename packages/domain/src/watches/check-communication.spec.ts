import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { ZONES, clockTimes, momentsNear } from '../../test/support/schedules.js';
import { dateOfDayNumber, dayNumber } from './contracts/school-time.js';
import { isSchoolTime } from './schedule/is-school-time.js';
import type { ChildRules, ContactRule, ActiveSchoolTime } from './contracts/child-rules.js';
import {
  areRulesStale,
  compileChildRules,
  checkWithoutContact,
  checkMember,
  SchoolTimeLookup,
} from './check-communication.js';

const MINUTE_MS = 60_000;
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

const contact = (change: Partial<ContactRule> = {}): ContactRule => ({
  userId: 'anna',
  canCall: true,
  canChat: true,
  canVideo: true,
  schoolAllowed: false,
  allowedIn: [],
  ...change,
});

const school = (change: Partial<ActiveSchoolTime> = {}): ActiveSchoolTime => ({
  start: '08:00',
  end: '12:00',
  weekdays: EVERY_DAY,
  holidays: [],
  extraDates: [],
  ...change,
});

const rules = (change: Partial<ChildRules> = {}): ChildRules => ({
  familyId: 'f',
  familyVersion: 3,
  cid: 'c',
  version: 1,
  timeZone: 'UTC',
  pausedOn: null,
  schoolTimes: [],
  contacts: [contact()],
  ...change,
});

const LESSON_TIME = Date.parse('2026-03-06T10:00Z');
const NOON = Date.parse('2026-03-06T12:00Z');

describe('checkMember', () => {
  test.each([
    ['CHAT', {}, undefined],
    ['CHAT', { canChat: false }, 'CONTACT_NOT_ALLOWED'],
    ['CHAT', { canCall: false, canVideo: false }, undefined],
    ['VIDEO', {}, undefined],
    ['VIDEO', { canVideo: false }, 'CONTACT_NOT_ALLOWED'],
    ['VIDEO', { canCall: false }, 'CONTACT_NOT_ALLOWED'],
    ['VIDEO', { canChat: false }, undefined],
  ] as const)('for the channel %s and the contact flags %j, returns the refusal %s', (channel, flags, reason) => {
    const withoutSchool = compileChildRules(rules({ contacts: [contact(flags)] }));
    expect(checkMember(withoutSchool, 'anna', channel, LESSON_TIME)?.reason).toBe(reason);
    // School time never allows more than the contact flags do.
    const atSchool = compileChildRules(rules({ contacts: [contact(flags)], schoolTimes: [school()] }));
    expect(checkMember(atSchool, 'anna', channel, LESSON_TIME)?.reason).toBe(reason ?? 'SCHOOL_TIME');
  });

  test('refuses a member without a contact entry', () => {
    const compiled = compileChildRules(rules());
    for (const channel of ['CHAT', 'VIDEO'] as const) {
      expect(checkMember(compiled, 'eve', channel, LESSON_TIME)).toEqual({ reason: 'CONTACT_NOT_ALLOWED' });
    }
  });

  test('areRulesStale returns true only for a member without a contact entry and a newer family version', () => {
    const compiled = compileChildRules(rules());
    expect([2, 3, 4].map((version) => areRulesStale(compiled, 'eve', version))).toEqual([false, false, true]);
    expect(areRulesStale(compiled, 'anna', 4)).toBe(false);
  });

  test('refuses a member until the end of school time unless the member is allowed in all or this school time', () => {
    const schoolTimes = [school(), school({ start: '13:00', end: '15:00' })];
    const checkAt = (time: number, change: Partial<ContactRule> = {}) =>
      checkMember(compileChildRules(rules({ schoolTimes, contacts: [contact(change)] })), 'anna', 'CHAT', time);
    expect(checkAt(LESSON_TIME)).toEqual({ reason: 'SCHOOL_TIME', until: NOON });
    expect(checkAt(NOON)).toBeUndefined();
    expect(checkAt(LESSON_TIME, { schoolAllowed: true })).toBeUndefined();
    expect(checkAt(LESSON_TIME, { allowedIn: [0] })).toBeUndefined();
    expect(checkAt(LESSON_TIME, { allowedIn: [1] })?.reason).toBe('SCHOOL_TIME');
    expect(checkAt(LESSON_TIME + 4 * 3_600_000, { allowedIn: [1] })).toBeUndefined();
  });

  test('checkWithoutContact refuses in school time and on an extra date, but not on a paused day or a holiday', () => {
    const day = dayNumber('2026-03-06');
    const refusalFor = (change: Partial<ChildRules>) =>
      checkWithoutContact(compileChildRules(rules(change)), LESSON_TIME)?.reason;
    expect(refusalFor({ schoolTimes: [school()] })).toBe('SCHOOL_TIME');
    expect(refusalFor({ schoolTimes: [school()], pausedOn: '2026-03-06' })).toBeUndefined();
    expect(refusalFor({ schoolTimes: [school({ holidays: [day] })] })).toBeUndefined();
    expect(refusalFor({ schoolTimes: [school({ weekdays: [], extraDates: [day] })] })).toBe('SCHOOL_TIME');
  });

  test('refuses with or without school time what the contact flags do not allow', () => {
    fc.assert(
      fc.property(
        fc.record({ canCall: fc.boolean(), canChat: fc.boolean(), canVideo: fc.boolean() }),
        fc.record({ schoolAllowed: fc.boolean(), allowedIn: fc.constantFrom<number[]>([], [0], [1]) }),
        fc.constantFrom('CHAT' as const, 'VIDEO' as const),
        fc.integer({ min: 0, max: 1_440 }),
        (flags, exceptions, channel, minute) => {
          const contacts = [contact({ ...flags, ...exceptions })];
          const time = Date.parse('2026-03-06T00:00Z') + minute * MINUTE_MS;
          const [withoutSchool, withSchool] = [[], [school(), school({ start: '13:00', end: '15:00' })]].map(
            (schoolTimes) => checkMember(compileChildRules(rules({ contacts, schoolTimes })), 'anna', channel, time),
          );
          if (withoutSchool) expect(withSchool).toEqual(withoutSchool);
          if (withSchool?.reason === 'SCHOOL_TIME') expect(exceptions.schoolAllowed).toBe(false);
          expect(withoutSchool === undefined).toBe(
            channel === 'CHAT' ? flags.canChat : flags.canCall && flags.canVideo,
          );
        },
      ),
    );
  });
});

describe('SchoolTimeLookup', () => {
  const instants = momentsNear('2026-03-08', '2026-03-29', '2026-04-05', '2026-10-25', '2026-11-01');

  test('returns the same result as isSchoolTime for queries in any order', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.record({ start: clockTimes, end: clockTimes, weekdays: fc.subarray(EVERY_DAY) }),
        fc.constantFrom(null, '2026-03-29', '2026-11-01'),
        fc.array(instants, { minLength: 1, maxLength: 40 }),
        (timeZone, times, pausedOn, queriedTimes) => {
          fc.pre(times.start !== times.end);
          const schoolTime = school({
            ...times,
            holidays: [dayNumber('2026-03-30')],
            extraDates: [dayNumber('2026-10-24')],
          });
          const range = {
            ...schoolTime,
            schoolTimeId: '0',
            enabled: true,
            holidays: schoolTime.holidays.map(dateOfDayNumber),
            extraDates: schoolTime.extraDates.map(dateOfDayNumber),
          };
          const lookup = new SchoolTimeLookup({ schoolTimes: [schoolTime], timeZone, pausedOn });
          for (const time of queriedTimes) {
            expect(lookup.schoolTimeAt(time) !== undefined).toBe(isSchoolTime([range], { pausedOn }, timeZone, time));
          }
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });
});
