import { expect, test } from '@jest/globals';
import { findUsedAllowances } from './used-allowances.js';

const number = (allowId: string, change: object = {}) => ({
  allowId,
  areaCode: '+86',
  phoneNumber: '02155501234',
  once: true,
  expiresAt: 0,
  ...change,
});
const call = (change: object = {}) => ({ areaCode: '+86', phoneNumber: '02155501234', ...change });
const ids = (numbers: readonly { allowId: string }[]) => numbers.map(({ allowId }) => allowId);

test('each call uses up one, the oldest first', () => {
  const allowed = [number('a'), number('b'), number('c')];
  expect(ids(findUsedAllowances([call()], allowed))).toEqual(['a']);
  expect(ids(findUsedAllowances([call(), call()], allowed))).toEqual(['a', 'b']);
  expect(findUsedAllowances([], allowed)).toEqual([]);
});

test('only what was allowed once, and only that number', () => {
  expect(findUsedAllowances([call()], [number('a', { once: false })])).toEqual([]);
  expect(findUsedAllowances([call({ areaCode: '+49' })], [number('a')])).toEqual([]);
  expect(findUsedAllowances([call({ phoneNumber: '02155501235' })], [number('a')])).toEqual([]);
  expect(findUsedAllowances([call({ phoneNumber: null })], [number('a')])).toEqual([]);
  expect(ids(findUsedAllowances([call({ areaCode: null })], [number('a')]))).toEqual(['a']);
});
