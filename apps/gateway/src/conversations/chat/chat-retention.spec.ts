import { expect, test } from '@jest/globals';
import { ChatRetention } from './chat-retention.js';

const DAY_MS = 86_400_000;

test('ChatRetention retains messages for the configured days', () => {
  const retention = new ChatRetention({ RETENTION_CHAT_DAYS: 60, RETENTION_VOICE_DAYS: 7 });
  expect([retention.of('ChatTextMessage'), retention.of('ChatVoiceMessage')]).toEqual([60 * DAY_MS, 7 * DAY_MS]);
});

test('ChatRetention never retains voice messages longer than other messages', () => {
  const retention = new ChatRetention({ RETENTION_CHAT_DAYS: 5, RETENTION_VOICE_DAYS: 30 });
  expect(retention.of('ChatVoiceMessage')).toBe(5 * DAY_MS);
});
