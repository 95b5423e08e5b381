import { expect, test } from '@jest/globals';
import { findUsedAllowances } from './strangers.service.js';

const createAllowance = (allowId: string, change: object = {}) => ({
  allowId,
  areaCode: '+86',
  phoneNumber: '02155501234',
  once: true,
  expiresAt: 0,
  ...change,
});
const createCall = (change: object = {}) => ({ areaCode: '+86', phoneNumber: '02155501234', ...change });
const ids = (numbers: readonly { allowId: string }[]) => numbers.map(({ allowId }) => allowId);

test('each call from an allowed number uses up one one-time allowance, the oldest first', () => {
  const allowed = [createAllowance('a'), createAllowance('b'), createAllowance('c')];
  expect(ids(findUsedAllowances([createCall()], allowed))).toEqual(['a']);
  expect(ids(findUsedAllowances([createCall(), createCall()], allowed))).toEqual(['a', 'b']);
  expect(findUsedAllowances([], allowed)).toEqual([]);
});

test('a call uses up only one-time allowances of its own number', () => {
  expect(findUsedAllowances([createCall()], [createAllowance('a', { once: false })])).toEqual([]);
  expect(findUsedAllowances([createCall({ areaCode: '+49' })], [createAllowance('a')])).toEqual([]);
  expect(findUsedAllowances([createCall({ phoneNumber: '02155501235' })], [createAllowance('a')])).toEqual([]);
  expect(findUsedAllowances([createCall({ phoneNumber: null })], [createAllowance('a')])).toEqual([]);
  expect(ids(findUsedAllowances([createCall({ areaCode: null })], [createAllowance('a')]))).toEqual(['a']);
});
