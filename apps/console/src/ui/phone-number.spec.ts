import { expect, test } from '@jest/globals';
import { withoutAreaCode, withoutSeparators } from './phone-number.js';

test.each([
  ['138 1234-5678', '+86', '13812345678'],
  ['+86 138 1234 5678', '+86', '13812345678'],
  ['\u202A+86 138\u20111234 5678\u202C', '+86', '13812345678'],
  ['0086 (138) 12345678', '86', '13812345678'],
  ['+1 242 555 0100', '+1', '2425550100'],
  ['8613812345678', '+86', '8613812345678'],
  ['+49 151 12345678', '+86', '+4915112345678'],
  ['+49 151 12345678', '', '+4915112345678'],
  ['+49 151 12345678', '+', '+4915112345678'],
])('%s beside the country code "%s" is %s', (text, areaCode, expected) => {
  expect(withoutAreaCode(withoutSeparators(text), areaCode)).toBe(expected);
});
