import { expect, test } from '@jest/globals';
import { findUsedAllowances } from './used-allowances.js';

const allowance = (allowId: string, change: object = {}) => ({
  allowId,
  areaCode: '+86',
  phoneNumber: '02155501234',
  once: true,
  expiresAt: 0,
  ...change,
});
const call = (change: object = {}) => ({ areaCode: '+86', phoneNumber: '02155501234', ...change });
const ids = (numbers: readonly { allowId: string }[]) => numbers.map(({ allowId }) => allowId);

test('each call from an allowed number uses up one one-time allowance, the oldest first', () => {
  const allowed = [allowance('a'), allowance('b'), allowance('c')];
  expect(ids(findUsedAllowances([call()], allowed))).toEqual(['a']);
  expect(ids(findUsedAllowances([call(), call()], allowed))).toEqual(['a', 'b']);
  expect(findUsedAllowances([], allowed)).toEqual([]);
});

test('a call uses up only one-time allowances of its own number', () => {
  expect(findUsedAllowances([call()], [allowance('a', { once: false })])).toEqual([]);
  expect(findUsedAllowances([call({ areaCode: '+49' })], [allowance('a')])).toEqual([]);
  expect(findUsedAllowances([call({ phoneNumber: '02155501235' })], [allowance('a')])).toEqual([]);
  expect(findUsedAllowances([call({ phoneNumber: null })], [allowance('a')])).toEqual([]);
  expect(ids(findUsedAllowances([call({ areaCode: null })], [allowance('a')]))).toEqual(['a']);
});
