import { describe, expect, test } from '@jest/globals';
import { messageKindsByName, type MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import type { StoredMessage } from '../../mailbox/mailbox-entry.js';
import { planPush, collapseTopic } from './push-scheduler.service.js';

function storedMessage(kind: MessageKind, payload: object = {}, exceptSession: string | null = null): StoredMessage {
  const envelope = { id: 'm', kind, seq: 1, time: 0, from: { type: 'system', id: '' }, payload } as const;
  return { envelope, subject: { familyId: 'f', cid: 'c', audience: 'CHAT' }, exceptSession, expiresAt: null, bytes: 2 };
}

const centerNotice = (category: string, severity = 'INFO') =>
  storedMessage('MessageCenterChangeNoticeMessage', { category, severity, messageId: 'x', unread: 1 });

describe('planPush', () => {
  test('plans a shared, delayed notification for chat messages, shutdowns and center messages that are not urgent', () => {
    for (const message of [
      storedMessage('ChatTextMessage'),
      storedMessage('ChatEmojiMessage'),
      storedMessage('WristwatchShutdownNoticeMessage'),
      centerNotice('BATTERY', 'WARNING'),
      centerNotice('SIGN_IN'),
    ]) {
      expect(planPush(message)).toMatchObject({ collapseKey: 'rest', urgent: false, immediate: false });
    }
  });

  test('plans an immediate notification for a ringing call, and none for its later states and signals', () => {
    const ringing = { callId: 'k', state: 'RINGING' };
    expect(planPush(storedMessage('VideoCallInNoticeMessage', ringing))).toMatchObject({
      collapseKey: 'call:k',
      category: 'CALL',
      immediate: true,
      urgent: false,
      ttlMs: 45_000,
    });
    for (const payload of [
      { callId: 'k', state: 'CANCELLED' },
      { ...ringing, signal: { type: 'CANDIDATE', data: '' } },
    ]) {
      expect(planPush(storedMessage('VideoCallInNoticeMessage', payload))).toBeUndefined();
    }
    expect(planPush(storedMessage('VideoCallOutNoticeMessage', ringing))).toBeUndefined();
  });

  test('plans separate notifications for SOS and fences, of which only URGENT ones bypass quiet hours', () => {
    expect(planPush(centerNotice('SOS', 'URGENT'))).toMatchObject({
      collapseKey: 'alert:x',
      urgent: true,
      immediate: true,
      centerMessageId: 'x',
    });
    expect(planPush(centerNotice('FENCE'))).toMatchObject({ collapseKey: 'alert:x', urgent: false, immediate: true });
  });

  test('plans no notification for batch tasks of the family cloud', () => {
    expect(planPush(centerNotice('ALBUM'))).toBeUndefined();
  });

  test('plans no notification for a message that the user sent from another session', () => {
    expect(planPush(storedMessage('ChatTextMessage', {}, 'session'))).toBeUndefined();
  });

  test('plans notifications only for chat messages, startups and shutdowns, center messages and incoming calls', () => {
    const notifiedKinds = [...messageKindsByName.keys()].filter((kind) => {
      const payload = { state: 'RINGING', category: 'WATCH', severity: 'INFO' };
      return planPush(storedMessage(kind as MessageKind, payload)) !== undefined;
    });
    expect(notifiedKinds).toEqual([
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

test('collapseTopic returns 32 URL-safe characters that depend on user and key', () => {
  const topic = collapseTopic('user', 'call:k');
  expect(topic).toMatch(/^[\w-]{32}$/);
  expect(collapseTopic('user', 'call:k')).toBe(topic);
  expect(collapseTopic('other', 'call:k')).not.toBe(topic);
});
