import { expect, test } from '@jest/globals';
import { firstPage } from './last-known-data.js';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test.each([
  [
    'a list that is loaded by pages',
    { pages: [[1], [2]], pageParams: [null, 'a'] },
    { pages: [[1]], pageParams: [null] },
  ],
  ['a long list', { items: numbers(1_000), totalCount: 5_000 }, { items: numbers(200), totalCount: 5_000 }],
])('firstPage shortens %s', (_, data, expected) => {
  expect(firstPage(data)).toEqual(expected);
});

test.each([[{ items: [1, 2], nextCursor: null }], [{ name: 'Mia' }], [[1, 2]], [3], [null]])(
  'firstPage does not change %j',
  (data) => {
    expect(firstPage(data)).toBe(data);
  },
);
