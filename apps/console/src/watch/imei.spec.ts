import { expect, test } from '@jest/globals';
import { createImei } from './imei.js';

/** Whether the digits with their check digit satisfy the Luhn algorithm, counted from the right. */
function isLuhnValid(imei: string): boolean {
  const sum = Array.from(imei, Number)
    .toReversed()
    .map((digit, index) => (index % 2 === 1 ? digit * 2 : digit))
    .reduce((total, value) => total + Math.floor(value / 10) + (value % 10), 0);
  return sum % 10 === 0;
}

test('createImei returns numbers of the test range with a valid check digit', () => {
  expect(isLuhnValid('490154203237518')).toBe(true);
  const created = Array.from({ length: 100 }, createImei);
  for (const imei of created) expect([imei, /^00101\d{10}$/.test(imei), isLuhnValid(imei)]).toEqual([imei, true, true]);
  expect(new Set(created).size).toBeGreaterThan(90);
});
