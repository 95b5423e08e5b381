import { expect, test } from '@jest/globals';
import { processRows } from './process-rows.js';

const PAGE_SIZE = 2;
const ROWS = [1, 2, 3, 4, 5];

const findPage = (after = 0) => Promise.resolve(ROWS.filter((row) => row > after).slice(0, PAGE_SIZE));

test('processRows processes the rows of all pages although the rows of the first page fail', async () => {
  const [processed, failed] = [new Array<number>(), new Array<unknown>()];
  await processRows(
    findPage,
    (row) => {
      if (row <= PAGE_SIZE) return Promise.reject(new Error(`row ${row}`));
      processed.push(row);
      return Promise.resolve();
    },
    (row, error) => failed.push([row, String(error)]),
  );
  expect(processed).toEqual([3, 4, 5]);
  expect(failed).toEqual([
    [1, 'Error: row 1'],
    [2, 'Error: row 2'],
  ]);
});

test('processRows rejects when the rows cannot be read', async () => {
  const unavailable = new Error('unavailable');
  const processing = processRows(
    () => Promise.reject(unavailable),
    () => Promise.resolve(),
    () => undefined,
  );
  await expect(processing).rejects.toBe(unavailable);
});
