import { describe, expect, test } from '@jest/globals';
import { messageKindsByName } from '@family-watch/domain/messages/contracts/message-kinds';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import type { StoredMessage } from '../mailbox/mailbox-entry.js';
import { planPush, collapseTopic } from './push-plan.js';

function stored(kind: MessageKind, payload: object = {}, exceptSession: string | null = null): StoredMessage {
  const envelope = { id: 'm', kind, seq: 1, time: 0, from: { type: 'system', id: '' }, payload } as const;
  return { envelope, subject: { familyId: 'f', cid: 'c', audience: 'CHAT' }, exceptSession, expiresAt: null, bytes: 2 };
}

const center = (category: string, severity = 'INFO') =>
  stored('MessageCenterChangeNoticeMessage', { category, severity, messageId: 'x', unread: 1 });

describe('how somebody is notified', () => {
  test('of most things once for all of them, and not at once', () => {
    for (const message of [
      stored('ChatTextMessage'),
      stored('ChatEmojiMessage'),
      stored('WristwatchShutdownNoticeMessage'),
      center('BATTERY', 'WARNING'),
      center('SIGN_IN'),
    ]) {
      expect(planPush(message)).toMatchObject({ collapseKey: 'rest', urgent: false, atOnce: false });
    }
  });

  test('of a call that rings, at once and while it rings; of what becomes of it not', () => {
    const ringing = { callId: 'k', state: 'RINGING' };
    expect(planPush(stored('VideoCallInNoticeMessage', ringing))).toMatchObject({
      collapseKey: 'call:k',
      category: 'CALL',
      atOnce: true,
      urgent: false,
      lifetime: 45_000,
    });
    for (const payload of [
      { callId: 'k', state: 'CANCELLED' },
      { ...ringing, signal: { type: 'CANDIDATE', data: '' } },
    ]) {
      expect(planPush(stored('VideoCallInNoticeMessage', payload))).toBeUndefined();
    }
    expect(planPush(stored('VideoCallOutNoticeMessage', ringing))).toBeUndefined();
  });

  test('of SOS and fences, each by itself; only what is URGENT passes quiet hours', () => {
    expect(planPush(center('SOS', 'URGENT'))).toMatchObject({
      collapseKey: 'alert:x',
      urgent: true,
      atOnce: true,
      centerMessageId: 'x',
    });
    expect(planPush(center('FENCE'))).toMatchObject({ collapseKey: 'alert:x', urgent: false, atOnce: true });
  });

  test('not of what goes on among files', () => {
    expect(planPush(center('ALBUM'))).toBeUndefined();
  });

  test('not of what the person has said on another phone', () => {
    expect(planPush(stored('ChatTextMessage', {}, 'session'))).toBeUndefined();
  });

  test('of no kind that is bookkeeping between devices', () => {
    const notified = [...messageKindsByName.keys()].filter((kind) => {
      const payload = { state: 'RINGING', category: 'WATCH', severity: 'INFO' };
      return planPush(stored(kind as MessageKind, payload)) !== undefined;
    });
    expect(notified).toEqual([
      'ChatTextMessage',
      'ChatVideoMessage',
      'ChatVoiceMessage',
      'ChatEmojiMessage',
      'ChatImageMessage',
      'WristwatchStartupNoticeMessage',
      'WristwatchShutdownNoticeMessage',
      'MessageCenterChangeNoticeMessage',
      'VideoCallInNoticeMessage',
    ]);
  });
});

test('a topic is what push services take, and tells neither person nor key', () => {
  const topic = collapseTopic('user', 'call:k');
  expect(topic).toMatch(/^[\w-]{32}$/);
  expect(collapseTopic('user', 'call:k')).toBe(topic);
  expect(collapseTopic('other', 'call:k')).not.toBe(topic);
});
