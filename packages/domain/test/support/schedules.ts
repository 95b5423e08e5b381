import fc from 'fast-check';
import type { SchoolRange } from '../../src/watches/contracts/school-time.js';

/**
 * Time zones with clock changes of one hour, of half an hour (Lord Howe), after midnight (Havana, Cairo, Santiago),
 * before midnight (Nuuk), with winter time during Ramadan (Casablanca), and without clock changes.
 */
export const ZONES = [
  'Asia/Shanghai',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Havana',
  'Africa/Cairo',
  'America/Santiago',
  'America/Nuuk',
  'Africa/Casablanca',
];

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the local time as `YYYY-MM-DD HH:MM`, computed with `Intl` instead of the code under test. */
export function localTimeOf(timeZone: string, time: number): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short', hourCycle: 'h23' });
  formats.set(timeZone, format);
  return format.format(time);
}

/** Returns a school time on all days from 08:00 to 12:00. */
export const range = (change: Partial<SchoolRange> = {}): SchoolRange => ({
  schoolTimeId: 'one',
  start: '08:00',
  end: '12:00',
  weekdays: [1, 2, 3, 4, 5, 6, 7],
  holidays: [],
  extraDates: [],
  enabled: true,
  ...change,
});

export const clockTimes = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('00', '15', '30', '45'))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${minute}`);

/** Returns moments of at most two days before or after the beginning of one of these days. */
export const momentsNear = (...days: string[]) =>
  fc
    .tuple(fc.constantFrom(...days), fc.integer({ min: -2 * 1_440, max: 2 * 1_440 }))
    .map(([day, minutes]) => Date.parse(`${day}T00:00:00Z`) + minutes * 60_000);
