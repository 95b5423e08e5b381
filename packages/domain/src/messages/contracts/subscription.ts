import { CENTER_CATEGORY } from './message-center.js';
import type { MessageKind } from './message-kinds.js';

/** Categories of preferences: the categories of center messages, and CHAT, which has notifications only. */
export const SUBSCRIPTION_CATEGORY = { ...CENTER_CATEGORY, CHAT: 'CHAT' } as const;
export type SubscriptionCategory = (typeof SUBSCRIPTION_CATEGORY)[keyof typeof SUBSCRIPTION_CATEGORY];

/**
 * `enabled`: messages of the category are added to the message centre. `push`: messages of the category are also sent
 * as notifications to phones that are not connected.
 */
export interface CategoryPreference {
  enabled: boolean;
  push: boolean;
}

/**
 * Times in which only messages of severity URGENT are sent as notifications; connected clients receive all messages.
 * `from` and `to` are minutes of the day in `timeZone`, `to` exclusive. A range whose end is before its start crosses
 * midnight and belongs to the day on which it starts.
 */
export interface QuietHours {
  from: number;
  to: number;
  timeZone: string;
  /** Days on which the quiet hours start, 1 Monday to 7 Sunday; if omitted, every day. */
  weekdays?: number[];
}

/** Which center messages and notifications a user has enabled. A category without an entry is enabled for both. */
export interface Subscription {
  categories: Partial<Record<SubscriptionCategory, CategoryPreference>>;
  quietHours: QuietHours | null;
}

export const DEFAULT_SUBSCRIPTION: Subscription = { categories: {}, quietHours: null };

const ALL_ENABLED: CategoryPreference = { enabled: true, push: true };

/** Returns the preference for a category. The category SOS is always enabled. */
export function categoryPreference({ categories }: Subscription, category: SubscriptionCategory): CategoryPreference {
  return category === 'SOS' ? ALL_ENABLED : (categories[category] ?? ALL_ENABLED);
}

/** Push services for phones and browsers. */
export const PUSH_SERVICE = { WEB_PUSH: 'WEB_PUSH', FCM: 'FCM', APNS: 'APNS', HMS: 'HMS' } as const;
export type PushService = (typeof PUSH_SERVICE)[keyof typeof PUSH_SERVICE];

/**
 * Content of a notification: only the category of the message, without personal data. The app fetches the details with
 * its access token.
 */
export interface PushContent {
  kind: MessageKind;
  category: SubscriptionCategory;
  cid?: string;
}

/** Keys with which notifications for a browser are encrypted (RFC 8291), base64url. */
export interface WebPushKeys {
  p256dh: string;
  auth: string;
}
