import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { newBlobKey } from './blob-store.js';

beforeEach(() => {
  jest.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  jest.useRealTimers();
});

test('keys of one second are different UUIDs with the same first byte', () => {
  const keys = Array.from({ length: 100 }, newBlobKey);
  expect(new Set(keys).size).toBe(100);
  expect(keys.every((key) => isUuid(key))).toBe(true);
  expect(new Set(keys.map((key) => key.slice(0, 2))).size).toBe(1);
});

test('keys of 256 consecutive seconds have every first byte', () => {
  const firstBytes = new Set<string>();
  for (let second = 0; second < 256; second += 1) {
    firstBytes.add(newBlobKey().slice(0, 2));
    jest.advanceTimersByTime(1_000);
  }
  expect(firstBytes.size).toBe(256);
});
