import { expect, test } from '@jest/globals';
import { formatAge } from './format-age.js';

const NOW = Date.UTC(2026, 0, 2, 12);

test.each([
  [0, 'now', '现在'],
  [59_000, 'now', '现在'],
  [60_000, '1 minute ago', '1分钟前'],
  [59 * 60_000, '59 minutes ago', '59分钟前'],
  [2 * 3_600_000, '2 hours ago', '2小时前'],
  [26 * 3_600_000, 'yesterday', '昨天'],
  [-5_000, 'now', '现在'],
])('formatAge of %i ms is "%s" and "%s"', (age, english, chinese) => {
  expect([formatAge(NOW - age, NOW, 'en'), formatAge(NOW - age, NOW, 'zh-CN')]).toEqual([english, chinese]);
});

test('formatAge counts the seconds of the last minute if asked to', () => {
  expect(formatAge(NOW - 12_000, NOW, 'en', 'second')).toBe('12 seconds ago');
  expect(formatAge(NOW - 12_000, NOW, 'zh-CN', 'second')).toBe('12秒钟前');
  expect(formatAge(NOW, NOW, 'en', 'second')).toBe('now');
  expect(formatAge(NOW - 61_000, NOW, 'en', 'second')).toBe('1 minute ago');
});
