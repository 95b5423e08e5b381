import { expect, test } from '@jest/globals';
import { isTimeZone } from '@family-watch/domain/kernel/dto/fields';
import { replacedTimeZonesSql } from './replaced-time-zones.js';

const replacements = [...replacedTimeZonesSql().matchAll(/\('(.+?)', '(.+?)'\)/g)].map(
  ([, name = '', zone = '']) => [name, zone] as const,
);

const offsetsIn = (timeZone: string) =>
  ['2026-01-15', '2026-07-15'].map((day) =>
    new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).format(Date.parse(day)),
  );

test('each name that is not accepted has a time zone that is, with the offsets that `Intl` uses for the name', () => {
  expect(replacements).toHaveLength(39);
  for (const [name, zone] of replacements) {
    expect([name, isTimeZone(name), zone, isTimeZone(zone)]).toEqual([name, false, zone, true]);
    expect([name, offsetsIn(zone)]).toEqual([name, offsetsIn(name)]);
  }
});
