import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import { validateSync } from 'class-validator';
import { isTimeZone, NameField } from './fields.js';

describe('isTimeZone', () => {
  test.each(['Asia/Shanghai', 'Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+8'])(
    'returns true for the time zone %s',
    (zone) => {
      expect(isTimeZone(zone)).toBe(true);
    },
  );

  test('returns true for each time zone of the runtime', () => {
    expect(Intl.supportedValuesOf('timeZone').filter((zone) => !isTimeZone(zone))).toEqual([]);
  });

  test.each(['IST', 'BST', 'PST', 'CST', 'JST', 'ist', 'SystemV/PST8', 'US/Pacific-New'])(
    'returns false for %s, which is no IANA time zone',
    (zone) => {
      expect(isTimeZone(zone)).toBe(false);
    },
  );

  test.each(['', '+08:00', 'Asia/Nowhere', 'Asia/Shanghai ', '../etc', 8, null])('returns false for %p', (zone) => {
    expect(isTimeZone(zone)).toBe(false);
  });
});

describe('NameField', () => {
  class Named {
    @NameField({ nullable: true })
    name: string | null = null;
  }
  const errorsOf = (name: string | null) => validateSync(Object.assign(new Named(), { name })).length;

  test.each(['Mia', 'مريم', 'דנה 2', '👩‍👩‍👧', 'Nguyễn', 'O’Brien', null])('accepts %j', (name) => {
    expect(errorsOf(name)).toBe(0);
  });

  test.each(['', 'a\u202egpj.exe', 'a\u2066b', 'two\nlines', 'nul\u0000', 'esc\u001b[31m', 'a\u0085b', 'a\u2028b'])(
    'rejects %j',
    (name) => {
      expect(errorsOf(name)).toBe(1);
    },
  );
});
