import { expect, test } from '@jest/globals';
import { isImei } from '@family-watch/domain/watches/contracts/watch';
import { randomImei } from './simulated-watch.js';

test('randomImei returns well-formed IMEIs of test equipment', () => {
  const imeis = Array.from({ length: 200 }, randomImei);
  expect(imeis.filter((imei) => !isImei(imei) || !imei.startsWith('00101'))).toEqual([]);
  expect(new Set(imeis).size).toBeGreaterThan(190);
});
