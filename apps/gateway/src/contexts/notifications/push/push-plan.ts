import { createHash } from 'node:crypto';
import type { MessageCenterChangePayload } from '@family-watch/domain/messages/contracts/message-center';
import type { SubscriptionCategory } from '@family-watch/domain/messages/contracts/subscription';
import type { VideoCallInPayload } from '@family-watch/domain/messages/contracts/video-call';
import type { StoredMessage } from '../../mailbox/mailbox-entry.js';

const MINUTE_MS = 60_000;
/** Milliseconds for which a notification is valid. */
const TTL_MS = { call: 45_000, alert: 4 * 60 * MINUTE_MS, other: 24 * 60 * MINUTE_MS };
/** Milliseconds within which a device can connect and acknowledge the message before a notification is pushed. */
export const ACKNOWLEDGEMENT_GRACE_MS = 2_500;
/** Collapse key that all messages without urgency share: one notification announces all of them. */
const SHARED_COLLAPSE_KEY = 'rest';

/** How a user is notified of a message. */
export interface PushPlan {
  /** A newer push request of the user with the same key replaces an older request that was not sent yet. */
  collapseKey: string;
  category: SubscriptionCategory;
  /** Whether the notification bypasses quiet hours. */
  urgent: boolean;
  /** Whether the notification is sent without waiting for a device to connect. */
  immediate: boolean;
  /** Milliseconds after which the notification expires. */
  ttlMs: number;
  centerMessageId: string | null;
}

/** Returns how to notify a user of a message, or `undefined` if the message needs no notification. */
export function planPush({ envelope, exceptSession }: StoredMessage): PushPlan | undefined {
  // A message that the user has sent from another device needs no notification.
  if (exceptSession !== null) return undefined;
  switch (envelope.kind) {
    case 'ChatTextMessage':
    case 'ChatVoiceMessage':
    case 'ChatVideoMessage':
    case 'ChatImageMessage':
    case 'ChatEmojiMessage':
      return sharedPlan('CHAT');
    case 'WristwatchStartupNoticeMessage':
    case 'WristwatchShutdownNoticeMessage':
      return sharedPlan('WATCH');
    case 'VideoCallInNoticeMessage':
      return callPlan(envelope.payload as VideoCallInPayload);
    case 'MessageCenterChangeNoticeMessage':
      return centerPlan(envelope.payload as MessageCenterChangePayload);
    default:
      return undefined;
  }
}

/** Returns an opaque collapse key for the push service that reveals neither user nor message. */
export function collapseTopic(userId: string, collapseKey: string): string {
  return createHash('sha256').update(`${userId}\n${collapseKey}`).digest('base64url').slice(0, 32);
}

function sharedPlan(category: SubscriptionCategory): PushPlan {
  const options = { urgent: false, immediate: false, ttlMs: TTL_MS.other, centerMessageId: null };
  return { collapseKey: SHARED_COLLAPSE_KEY, category, ...options };
}

function callPlan({ callId, state, signal }: VideoCallInPayload): PushPlan | undefined {
  if (state !== 'RINGING' || signal) return undefined;
  const options = { urgent: false, immediate: true, ttlMs: TTL_MS.call, centerMessageId: null };
  return { collapseKey: `call:${callId}`, category: 'CALL', ...options };
}

function centerPlan({ category, severity, messageId }: MessageCenterChangePayload): PushPlan | undefined {
  // The progress of a batch task needs no notification.
  if (category === 'ALBUM') return undefined;
  const urgent = severity === 'URGENT';
  if (category !== 'SOS' && category !== 'FENCE' && !urgent) return sharedPlan(category);
  const options = { urgent, immediate: true, ttlMs: TTL_MS.alert, centerMessageId: messageId };
  return { collapseKey: `alert:${messageId}`, category, ...options };
}
