import { expect, test } from '@jest/globals';
import { PublicAdmission } from './public-admission.js';

const OPERATION = 'getSharedLocation';
const BUSY = 1;
const IDLE = 0.1;

function measured(utilization: number, intervals = 50): PublicAdmission {
  const admission = new PublicAdmission();
  for (let count = 0; count < intervals; count += 1) admission.measure(utilization);
  return admission;
}

/** Sends guesses for some seconds, of which every admitted one fails. @returns the number of admitted guesses */
function guess(admission: PublicAdmission, { perSecond, seconds }: { perSecond: number; seconds: number }): number {
  let admitted = 0;
  for (let number = 0; number < perSecond * seconds; number += 1) {
    const now = (number * 1_000) / perSecond;
    if (!admission.admits(OPERATION, now)) continue;
    admitted += 1;
    admission.countFailure(OPERATION, now);
  }
  return admitted;
}

test('admits all requests, whether or not they fail, while the event loop is not busy', () => {
  expect(guess(measured(IDLE), { perSecond: 1_000, seconds: 10 })).toBe(10_000);
});

test('admits all requests that succeed, however busy the event loop is', () => {
  const admission = measured(BUSY);
  const admitted = Array.from({ length: 10_000 }, () => admission.admits(OPERATION, 0));
  expect(admitted).not.toContain(false);
});

test('admits 100 failing requests and 50 more per second while the event loop is busy', () => {
  const admitted = guess(measured(BUSY), { perSecond: 1_000, seconds: 10 });
  expect(admitted).toBeGreaterThanOrEqual(100 + 50 * 9);
  expect(admitted).toBeLessThanOrEqual(100 + 50 * 10 + 1);
});

test('guesses at one operation do not lead to the rejection of another', () => {
  const admission = measured(BUSY);
  guess(admission, { perSecond: 1_000, seconds: 1 });
  expect(admission.admits(OPERATION, 1_000)).toBe(false);
  expect(admission.admits('signIn', 1_000)).toBe(true);
});

test('a short burst of work does not lead to rejections', () => {
  const admission = measured(IDLE);
  admission.measure(BUSY);
  expect(guess(admission, { perSecond: 1_000, seconds: 1 })).toBe(1_000);
});
