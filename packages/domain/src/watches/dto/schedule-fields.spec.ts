import { expect, test } from '@jest/globals';
import { validateSync } from 'class-validator';
import { LocalDatesField, TimeOfDayField, WeekdaysField } from './schedule-fields.js';

class ScheduleFields {
  @WeekdaysField({ optional: true })
  weekdays?: unknown;

  @LocalDatesField({ optional: true })
  dates?: unknown;

  @TimeOfDayField({ optional: true })
  time?: unknown;
}

const invalidFields = (fields: object): string[] =>
  validateSync(Object.assign(new ScheduleFields(), fields)).map(({ property }) => property);

test.each<[string, unknown]>([
  ['weekdays', []],
  ['weekdays', [7, 1]],
  ['dates', ['2028-02-29', '2026-12-31']],
  ['time', '00:00'],
  ['time', '23:59'],
])('the schedule field %s accepts %j', (field, value) => {
  expect(invalidFields({ [field]: value })).toEqual([]);
});

test.each<[string, unknown]>([
  ['weekdays', null],
  ['weekdays', 1],
  ['weekdays', [0]],
  ['weekdays', [8]],
  ['weekdays', [1.5]],
  ['weekdays', ['1']],
  ['weekdays', [1, 1]],
  ['dates', null],
  ['dates', '2026-03-01'],
  ['dates', ['2026-02-29']],
  ['dates', ['2026-04-31']],
  ['dates', ['2026-13-01']],
  ['dates', ['2026-3-1']],
  ['dates', ['2026-03-01T00:00:00Z']],
  ['dates', [20_260_301]],
  ['dates', ['2026-03-01', '2026-03-01']],
  ['time', '24:00'],
  ['time', '8:30'],
  ['time', '08:60'],
  ['time', 830],
])('the schedule field %s rejects %j', (field, value) => {
  expect(invalidFields({ [field]: value })).toEqual([field]);
});
