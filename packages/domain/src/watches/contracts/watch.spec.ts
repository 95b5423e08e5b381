import { describe, expect, test } from '@jest/globals';
import { isImei } from './watch.js';

describe('isImei', () => {
  test.each(['490154203237518', '356938035643809', '000000000000000'])('returns true for the valid IMEI %s', (imei) => {
    expect(isImei(imei)).toBe(true);
  });

  test.each(['490154203237519', '49015420323751', '4901542032375180', '49015420323751a', '', ' 490154203237518'])(
    'returns false for the invalid IMEI %j',
    (imei) => {
      expect(isImei(imei)).toBe(false);
    },
  );

  test('returns false when any single digit of a valid IMEI is changed', () => {
    const imei = '490154203237518';
    for (let position = 0; position < imei.length; position += 1) {
      for (let digit = 0; digit <= 9; digit += 1) {
        const other = imei.slice(0, position) + String(digit) + imei.slice(position + 1);
        expect(isImei(other)).toBe(other === imei);
      }
    }
  });
});
