import { describe, expect, test } from '@jest/globals';
import { phoneUrlOf } from './phone-url.js';

describe('phoneUrlOf', () => {
  test('returns a URL that dials a number with a calling code', () => {
    expect(phoneUrlOf({ areaCode: '+86', phoneNumber: '13800000000' })).toBe('tel:+8613800000000');
  });

  test.each(['+00', '+0', '+086', '86', '+', '', '+8a', 'CN'])('returns undefined for the area code %p', (areaCode) => {
    expect(phoneUrlOf({ areaCode, phoneNumber: '13800000000' })).toBeUndefined();
  });
});
