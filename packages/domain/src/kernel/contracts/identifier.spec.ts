import { expect, test } from '@jest/globals';
import { isUuid } from './identifier.js';

const ID = '0b2f6f0e-6d0e-4a53-9a3e-0f3ac7d1c0de';

test('isUuid accepts a lower-case UUID', () => {
  expect(isUuid(ID)).toBe(true);
});

test.each([ID.toUpperCase(), ` ${ID}`, `${ID}\n`, ID.replaceAll('-', ''), `{${ID}}`, '', '1'])(
  'isUuid returns false for %j',
  (text) => {
    expect(isUuid(text)).toBe(false);
  },
);
