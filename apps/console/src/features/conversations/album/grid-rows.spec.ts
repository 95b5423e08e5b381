import { expect, test } from '@jest/globals';
import { gridRowsOf } from './grid-rows.js';

const picture = (contentID: string, time: number) => ({ contentID, time });
const layout = (...items: { contentID: string; time: number }[]) =>
  gridRowsOf(
    items,
    2,
    ({ time }) => time,
    (time) => String(Math.floor(time / 100)),
  ).map((row) => (row.type === 'day' ? 'day' : row.items.map(({ contentID }) => contentID).join('')));

test('fills rows and begins a new row with each day', () => {
  const items = [picture('a', 310), picture('b', 305), picture('c', 301), picture('d', 120)];
  expect(layout(...items)).toEqual(['day', 'ab', 'c', 'day', 'd']);
});

test('has no rows without pictures', () => {
  expect(layout()).toEqual([]);
});
