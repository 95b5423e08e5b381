import { describe, expect, test } from '@jest/globals';
import type { AttendanceWindow } from '@family-watch/domain/locations/contracts/fence';
import { compileFences, type ActiveFence, type FenceState } from './fence-state.js';
import { MAX_STATE_AGE_MS, evaluateMissedArrivals, evaluateFences, nextExpectedArrival } from './evaluate-fences.js';
import { isLeavingEarly, nextArrivalTime } from './attendance-windows.js';

const at = (text: string): number => Date.parse(text);
const SCHOOL: AttendanceWindow = {
  weekdays: [1, 2, 3, 4, 5],
  from: '07:30',
  to: '16:00',
  skipDates: ['2026-03-04'],
  notArrivedBy: '08:10',
  leftEarly: true,
};
const NIGHT: AttendanceWindow = {
  ...SCHOOL,
  weekdays: [5],
  from: '22:00',
  to: '06:00',
  notArrivedBy: '00:30',
  skipDates: [],
};
const toIsoText = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

describe('isLeavingEarly', () => {
  test.each([
    ['2026-03-02T07:29:59+08:00', false],
    ['2026-03-02T07:30:00+08:00', true],
    ['2026-03-02T15:59:59+08:00', true],
    ['2026-03-02T16:00:00+08:00', false],
    ['2026-03-04T12:00:00+08:00', false],
    ['2026-03-07T12:00:00+08:00', false],
  ])('at %s, returns %s for a window from 07:30 to 16:00, Monday to Friday except 4 March', (time, early) => {
    expect(isLeavingEarly([SCHOOL], 'Asia/Shanghai', at(time))).toBe(early);
  });

  test('assigns a window across midnight to the day on which it starts', () => {
    expect(isLeavingEarly([NIGHT], 'Asia/Shanghai', at('2026-03-07T05:59:00+08:00'))).toBe(true);
    expect(isLeavingEarly([NIGHT], 'Asia/Shanghai', at('2026-03-06T05:59:00+08:00'))).toBe(false);
  });

  test('returns false if no window reports LEFT_EARLY', () => {
    expect(isLeavingEarly([{ ...SCHOOL, leftEarly: false }], 'UTC', at('2026-03-02T12:00:00Z'))).toBe(false);
  });
});

describe('nextArrivalTime', () => {
  test.each([
    ['the same day', '2026-03-02T08:09:59+08:00', '2026-03-02T00:10:00.000Z'],
    ['the next day after the deadline', '2026-03-02T08:10:00+08:00', '2026-03-03T00:10:00.000Z'],
    ['the day after a skipped date', '2026-03-03T09:00:00+08:00', '2026-03-05T00:10:00.000Z'],
    ['Monday after a weekend', '2026-03-06T09:00:00+08:00', '2026-03-09T00:10:00.000Z'],
  ])('returns the next deadline on %s', (_, after, expected) => {
    expect(toIsoText(nextArrivalTime([SCHOOL], 'Asia/Shanghai', at(after)))).toBe(expected);
  });

  test('returns the first deadline after 100 skipped dates', () => {
    const mondays = Array.from({ length: 100 }, (_, week) => at('2026-03-02T00:00:00Z') + week * 7 * 86_400_000);
    const skipDates = mondays.map((time) => new Date(time).toISOString().slice(0, 10));
    for (let day = 2; day <= 8; day += 1) {
      const after = at(`2026-03-0${day}T12:00:00Z`);
      const nextArrivalText = (weekdays: number[]) =>
        toIsoText(nextArrivalTime([{ ...SCHOOL, weekdays, skipDates }], 'UTC', after));
      expect(nextArrivalText([1])).toBe('2028-01-31T08:10:00.000Z');
      expect(nextArrivalText([1, 7])).toBe(`2026-03-${day === 8 ? '15' : '08'}T08:10:00.000Z`);
    }
  });

  test('returns a deadline after midnight for a window across midnight', () => {
    expect(toIsoText(nextArrivalTime([NIGHT], 'UTC', at('2026-03-06T23:00:00Z')))).toBe('2026-03-07T00:30:00.000Z');
    expect(toIsoText(nextArrivalTime([NIGHT], 'UTC', at('2026-03-07T00:10:00Z')))).toBe('2026-03-07T00:30:00.000Z');
  });

  test('returns the earliest deadline of several windows, and null if no window has a deadline', () => {
    const laterDeadline = { ...SCHOOL, notArrivedBy: '09:00' };
    expect(toIsoText(nextArrivalTime([laterDeadline, SCHOOL], 'UTC', at('2026-03-02T00:00:00Z')))).toBe(
      '2026-03-02T08:10:00.000Z',
    );
    expect(nextArrivalTime([{ ...SCHOOL, notArrivedBy: null }], 'UTC', 0)).toBeNull();
    expect(nextExpectedArrival(compileFences([]), 'UTC', 0)).toBeNull();
  });

  const sundayWindow = (notArrivedBy: string): AttendanceWindow => ({
    ...SCHOOL,
    weekdays: [7],
    from: '00:00',
    notArrivedBy,
  });
  test.each([
    // In New York, 2026-03-08 skips 02:00 to 03:00, and 2026-11-01 has 01:00 to 02:00 twice.
    ['an instant one hour earlier in summer', '08:00', '2026-03-08T00:00:00Z', '2026-03-08T12:00:00.000Z'],
    ['an instant one hour later for a skipped local time', '02:30', '2026-03-08T00:00:00Z', '2026-03-08T07:30:00.000Z'],
    ['the second instant of a repeated local time', '01:30', '2026-11-01T00:00:00Z', '2026-11-01T06:30:00.000Z'],
    ['an instant one hour later in winter', '08:00', '2026-11-01T00:00:00Z', '2026-11-01T13:00:00.000Z'],
  ])('on the day of a clock change in New York, returns %s', (_, notArrivedBy, after, expected) => {
    expect(toIsoText(nextArrivalTime([sundayWindow(notArrivedBy)], 'America/New_York', at(after)))).toBe(expected);
  });

  test('returns one deadline per day of a whole year in time zones with clock changes', () => {
    for (const timeZone of [
      'America/New_York',
      'Europe/Berlin',
      'Australia/Lord_Howe',
      'Africa/Cairo',
      'Asia/Tehran',
    ]) {
      const daily = { ...SCHOOL, weekdays: [1, 2, 3, 4, 5, 6, 7], skipDates: [], from: '00:00', to: '23:59' };
      for (const notArrivedBy of ['00:10', '01:30', '02:30', '23:30']) {
        const days = new Set<string>();
        let time: number | null = at('2026-01-01T00:00:00Z');
        for (; time !== null && time < at('2026-12-31T00:00:00Z');) {
          time = nextArrivalTime([{ ...daily, notArrivedBy }], timeZone, time);
          const day = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(time ?? 0);
          expect(days).not.toContain(day);
          days.add(day);
        }
        expect(days.size).toBeGreaterThanOrEqual(364);
      }
    }
  });
});

/** The deadline of SCHOOL on Monday, 2 March 2026: 08:10 in Shanghai. */
const MONDAY_DEADLINE = at('2026-03-02T00:10:00Z');

function createFence(changes: Partial<ActiveFence> = {}): ActiveFence {
  return {
    fenceId: 'school',
    cid: 'mia',
    name: 'School',
    windows: [SCHOOL],
    enabled: true,
    version: 1,
    activeFrom: 0,
    circle: { latitude: '31.23', longitude: '121.47', radius: 100 },
    polygon: null,
    dwell: 600,
    notify: { entered: false, left: false, dwelled: false },
    ...changes,
  };
}

describe('evaluateMissedArrivals', () => {
  const eventsAtDeadline = (
    state: FenceState | null,
    {
      lastTime = MONDAY_DEADLINE - 60_000,
      fence = {},
    }: { lastTime?: number | null; fence?: Partial<ActiveFence> } = {},
  ) =>
    evaluateMissedArrivals(
      compileFences([createFence(fence)]),
      [state],
      { after: MONDAY_DEADLINE - 1, until: MONDAY_DEADLINE },
      { lastTime, timeZone: 'Asia/Shanghai' },
    ).map(({ type, time }) => [type, time]);
  const insideSince = (since: number): FenceState => ({ inside: true, since, dwelled: false });
  const outsideSince = (since: number): FenceState => ({ inside: false, since, dwelled: false });
  const NOT_ARRIVED = [['NOT_ARRIVED', MONDAY_DEADLINE]];

  test('reports nothing for a child inside the fence', () => {
    expect(eventsAtDeadline(insideSince(MONDAY_DEADLINE))).toEqual([]);
    expect(eventsAtDeadline(insideSince(MONDAY_DEADLINE - 3_600_000))).toEqual([]);
  });

  test('reports NOT_ARRIVED for a child outside the fence or without a state', () => {
    expect(eventsAtDeadline(outsideSince(0))).toEqual(NOT_ARRIVED);
    expect(eventsAtDeadline(null)).toEqual(NOT_ARRIVED);
    expect(eventsAtDeadline(null, { lastTime: null })).toEqual(NOT_ARRIVED);
  });

  test('evaluates the side at the deadline when the child crosses the fence just after the deadline', () => {
    expect(eventsAtDeadline(insideSince(MONDAY_DEADLINE + 1))).toEqual(NOT_ARRIVED);
    expect(eventsAtDeadline(outsideSince(MONDAY_DEADLINE + 1))).toEqual([]);
  });

  test('reports NOT_ARRIVED for a child inside the fence whose last fix is older than MAX_STATE_AGE_MS', () => {
    const inside = insideSince(MONDAY_DEADLINE - 20 * 3_600_000);
    expect(eventsAtDeadline(inside, { lastTime: MONDAY_DEADLINE - MAX_STATE_AGE_MS })).toEqual([]);
    expect(eventsAtDeadline(inside, { lastTime: MONDAY_DEADLINE - MAX_STATE_AGE_MS - 1 })).toEqual(NOT_ARRIVED);
  });

  test('ignores a fence that was activated at the deadline or later, and a disabled fence', () => {
    expect(eventsAtDeadline(null, { fence: { activeFrom: MONDAY_DEADLINE } })).toEqual([]);
    expect(
      evaluateMissedArrivals(
        compileFences([createFence({ enabled: false })]),
        [],
        { after: 0, until: MONDAY_DEADLINE },
        { lastTime: null, timeZone: 'UTC' },
      ),
    ).toEqual([]);
  });
});

test('evaluateFences reports LEFT_EARLY when the child leaves within an attendance window, but not after its end', () => {
  const compiled = compileFences([createFence()]);
  const inside: FenceState = { inside: true, since: MONDAY_DEADLINE, dwelled: true };
  const eventsOfLeavingAt = (time: number) =>
    evaluateFences(compiled, [inside], [{ time, latitude: 31.3, longitude: 121.47, radius: 5 }], 'Asia/Shanghai')
      .events;
  const early = at('2026-03-02T15:59:00+08:00');
  expect(eventsOfLeavingAt(early)).toEqual([{ fenceId: 'school', type: 'LEFT_EARLY', time: early }]);
  expect(eventsOfLeavingAt(early + 60_000)).toEqual([]);
});
