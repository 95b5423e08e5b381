import { expect, test } from '@jest/globals';
import { usedUpBy } from './used-up.js';

const number = (allowId: string, change: object = {}) => ({
  ...{ allowId, areaCode: '+86', phoneNumber: '02155501234', once: true, expiresAt: 0 },
  ...change,
});
const call = (change: object = {}) => ({ areaCode: '+86', phoneNumber: '02155501234', ...change });
const ids = (numbers: readonly { allowId: string }[]) => numbers.map(({ allowId }) => allowId);

test('each call uses up one, the oldest first', () => {
  const allowed = [number('a'), number('b'), number('c')];
  expect(ids(usedUpBy([call()], allowed))).toEqual(['a']);
  expect(ids(usedUpBy([call(), call()], allowed))).toEqual(['a', 'b']);
  expect(usedUpBy([], allowed)).toEqual([]);
});

test('only what was allowed once, and only that number', () => {
  expect(usedUpBy([call()], [number('a', { once: false })])).toEqual([]);
  expect(usedUpBy([call({ areaCode: '+49' })], [number('a')])).toEqual([]);
  expect(usedUpBy([call({ phoneNumber: '02155501235' })], [number('a')])).toEqual([]);
  expect(usedUpBy([call({ phoneNumber: null })], [number('a')])).toEqual([]);
  expect(ids(usedUpBy([call({ areaCode: null })], [number('a')]))).toEqual(['a']);
});
