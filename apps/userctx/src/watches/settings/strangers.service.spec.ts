import { expect, test } from '@jest/globals';
import { findUsedNumbers } from './strangers.service.js';

const createAllowedNumber = (allowId: string, change: object = {}) => ({
  allowId,
  areaCode: '+86',
  phoneNumber: '02155501234',
  once: true,
  expiresAt: 0,
  ...change,
});
const createCall = (change: object = {}) => ({ areaCode: '+86', phoneNumber: '02155501234', ...change });
const allowIdsOf = (numbers: readonly { allowId: string }[]) => numbers.map(({ allowId }) => allowId);

test('findUsedNumbers returns one one-time entry per call from an allowed number, the oldest first', () => {
  const allowed = [createAllowedNumber('a'), createAllowedNumber('b'), createAllowedNumber('c')];
  expect(allowIdsOf(findUsedNumbers([createCall()], allowed))).toEqual(['a']);
  expect(allowIdsOf(findUsedNumbers([createCall(), createCall()], allowed))).toEqual(['a', 'b']);
  expect(findUsedNumbers([], allowed)).toEqual([]);
});

test('findUsedNumbers returns only one-time entries of the number that called', () => {
  expect(findUsedNumbers([createCall()], [createAllowedNumber('a', { once: false })])).toEqual([]);
  expect(findUsedNumbers([createCall({ areaCode: '+49' })], [createAllowedNumber('a')])).toEqual([]);
  expect(findUsedNumbers([createCall({ phoneNumber: '02155501235' })], [createAllowedNumber('a')])).toEqual([]);
  expect(findUsedNumbers([createCall({ phoneNumber: null })], [createAllowedNumber('a')])).toEqual([]);
  expect(allowIdsOf(findUsedNumbers([createCall({ areaCode: null })], [createAllowedNumber('a')]))).toEqual(['a']);
});

test.each([
  ['with and without the 0 dialled within a country', { phoneNumber: '2155501234' }, {}],
  ['with the 0 from a network that gives no area code', { areaCode: null }, { phoneNumber: '2155501234' }],
  [
    'with a calling code of one and of four digits',
    { areaCode: '+1', phoneNumber: '6845551234' },
    { areaCode: '+1684', phoneNumber: '5551234' },
  ],
])('findUsedNumbers finds the number %s', (_, call, allowed) => {
  expect(allowIdsOf(findUsedNumbers([createCall(call)], [createAllowedNumber('a', allowed)]))).toEqual(['a']);
});
