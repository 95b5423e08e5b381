import { expect, test } from '@jest/globals';
import { isUuid } from './identifier.js';

const VALID_UUID = '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de';

test('isUuid accepts a lower-case UUID', () => {
  expect(isUuid(VALID_UUID)).toBe(true);
});

test.each([
  VALID_UUID.toUpperCase(),
  ` ${VALID_UUID}`,
  `${VALID_UUID}\n`,
  VALID_UUID.replaceAll('-', ''),
  `{${VALID_UUID}}`,
  '',
  '1',
])('isUuid returns false for %j', (text) => {
  expect(isUuid(text)).toBe(false);
});
