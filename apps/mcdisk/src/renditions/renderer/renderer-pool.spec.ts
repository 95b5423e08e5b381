import { availableParallelism } from 'node:os';
import { expect, test } from '@jest/globals';
import { MediaSettings } from './renderer-pool.js';

test('the number of renderers is MEDIA_WORKERS when this variable is set, even to 0', () => {
  expect(new MediaSettings({ MEDIA_WORKERS: 0 }).rendererCount).toBe(0);
  expect(new MediaSettings({ MEDIA_WORKERS: 7 }).rendererCount).toBe(7);
});

test('the number of renderers defaults to a quarter of the cores, at least one and at most four', () => {
  const { rendererCount } = new MediaSettings({});
  expect(rendererCount).toBeGreaterThanOrEqual(1);
  expect(rendererCount).toBeLessThanOrEqual(Math.max(1, Math.min(4, availableParallelism() / 4)));
});
