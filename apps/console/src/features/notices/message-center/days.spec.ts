import { describe, expect, test } from '@jest/globals';
import { dayHeading, groupByDay } from './days.js';

const NOON = new Date(2026, 2, 1, 12).getTime();
const HOUR_MS = 3_600_000;

describe('groupByDay', () => {
  test('puts the messages of a local day together and keeps their order', () => {
    const items = [NOON, NOON - HOUR_MS, NOON - 13 * HOUR_MS].map((time) => ({ time }));
    expect(groupByDay(items).map((day) => day.items.map(({ time }) => time))).toEqual([
      [NOON, NOON - HOUR_MS],
      [NOON - 13 * HOUR_MS],
    ]);
    expect(groupByDay([])).toEqual([]);
  });
});

describe('dayHeading', () => {
  test.each([
    [0, 'en', 'Today'],
    [12, 'en', 'Today'],
    [13, 'en', 'Yesterday'],
    [13, 'zh-CN', '昨天'],
    // The 27th of February, on the 1st of March.
    [48, 'en-GB', expect.stringMatching(/^Friday,? 27 February/)],
  ])('names the day %d hours before noon in %s', (hours, language, expected) => {
    expect(dayHeading(NOON - hours * HOUR_MS, NOON, language)).toEqual(expected);
  });
});
