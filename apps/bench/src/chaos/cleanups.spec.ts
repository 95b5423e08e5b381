import { expect, test } from '@jest/globals';
import { Cleanups } from './cleanups.js';

test('runs all functions once, the last added first, and reports the errors at the end', async () => {
  const called: number[] = [];
  const cleanups = new Cleanups();
  for (const number of [1, 2, 3])
    cleanups.add(async () => {
      called.push(number);
      if (number > 1) throw new Error(`error ${number}`);
    });
  await expect(cleanups.run()).rejects.toMatchObject({ errors: [{ message: 'error 3' }, { message: 'error 2' }] });
  await cleanups.run();
  expect(called).toEqual([3, 2, 1]);
});
