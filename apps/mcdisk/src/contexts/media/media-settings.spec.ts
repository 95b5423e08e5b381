import { availableParallelism } from 'node:os';
import { expect, test } from '@jest/globals';
import { MediaSettings } from './media-settings.js';

test('uses MEDIA_WORKERS, including 0', () => {
  expect(new MediaSettings({ MEDIA_WORKERS: 0 }).workers).toBe(0);
  expect(new MediaSettings({ MEDIA_WORKERS: 7 }).workers).toBe(7);
});

test('defaults to a quarter of the cores, between one and four', () => {
  const { workers } = new MediaSettings({});
  expect(workers).toBeGreaterThanOrEqual(1);
  expect(workers).toBeLessThanOrEqual(Math.max(1, Math.min(4, availableParallelism() / 4)));
});
