import { createHash } from 'node:crypto';
import type { MessageCenterChangePayload } from '@family-watch/domain/messages/contracts/message-center';
import type { SubscriptionCategory } from '@family-watch/domain/messages/contracts/subscription';
import type { VideoCallInPayload } from '@family-watch/domain/messages/contracts/video-call';
import type { StoredMessage } from '../mailbox/mailbox-entry.js';

const MINUTE = 60_000;
/** How long a notification is worth sending. Milliseconds. */
const LIFETIME = { call: 45_000, alert: 4 * 60 * MINUTE, other: 24 * 60 * MINUTE };
/** How long one waits for a device to connect and take the message by itself. Milliseconds. */
export const DEVICE_PICKUP_GRACE_MS = 2_500;
/** Everything that need not be heard at once: one notification for all of it. */
const REST = 'rest';

/** How a person is notified of a message. */
export interface PushPlan {
  /** A newer message with the same key takes the place of an older one that was not sent yet. */
  collapseKey: string;
  category: SubscriptionCategory;
  /** It passes quiet hours. */
  urgent: boolean;
  /** It does not wait for a device to connect by itself. */
  atOnce: boolean;
  /** Milliseconds after which it is worth nothing. */
  lifetime: number;
  centerMessageId: string | null;
}

/** How to notify of a message; `undefined` for one that nobody need look at a phone for. */
export function planPush({ envelope, exceptSession }: StoredMessage): PushPlan | undefined {
  // What the person has just said on another phone.
  if (exceptSession !== null) return undefined;
  switch (envelope.kind) {
    case 'ChatTextMessage':
    case 'ChatVoiceMessage':
    case 'ChatVideoMessage':
    case 'ChatImageMessage':
    case 'ChatEmojiMessage':
      return restOf('CHAT');
    case 'WristwatchStartupNoticeMessage':
    case 'WristwatchShutdownNoticeMessage':
      return restOf('WATCH');
    case 'VideoCallInNoticeMessage':
      return callPlan(envelope.payload as VideoCallInPayload);
    case 'MessageCenterChangeNoticeMessage':
      return centerPlan(envelope.payload as MessageCenterChangePayload);
    default:
      return undefined;
  }
}

/** A name for what the push service collapses, which tells it nothing. */
export function collapseTopic(userId: string, collapseKey: string): string {
  return createHash('sha256').update(`${userId}\n${collapseKey}`).digest('base64url').slice(0, 32);
}

function restOf(category: SubscriptionCategory): PushPlan {
  const calm = { urgent: false, atOnce: false, lifetime: LIFETIME.other, centerMessageId: null };
  return { collapseKey: REST, category, ...calm };
}

function callPlan({ callId, state, signal }: VideoCallInPayload): PushPlan | undefined {
  if (state !== 'RINGING' || signal) return undefined;
  const hurried = { urgent: false, atOnce: true, lifetime: LIFETIME.call, centerMessageId: null };
  return { collapseKey: `call:${callId}`, category: 'CALL', ...hurried };
}

function centerPlan({ category, severity, messageId }: MessageCenterChangePayload): PushPlan | undefined {
  // How far a task over files has come is there for whoever looks at it.
  if (category === 'ALBUM') return undefined;
  const urgent = severity === 'URGENT';
  if (category !== 'SOS' && category !== 'FENCE' && !urgent) return restOf(category);
  const hurried = { urgent, atOnce: true, lifetime: LIFETIME.alert, centerMessageId: messageId };
  return { collapseKey: `alert:${messageId}`, category, ...hurried };
}
