import type { SubscriptionCategory } from './subscription.js';
import type { MessageKind } from './message-kinds.js';

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

/** Keys of a browser's subscription (RFC 8291), base64url. */
export interface WebPushKeys {
  p256dh: string;
  auth: string;
}
