import type { PushContent, PushService, WebPushKeys } from '@family-watch/domain/messages/contracts/subscription';

export const PUSH_OUTCOME = {
  DELIVERED_TO_PROVIDER: 'DELIVERED_TO_PROVIDER',
  /** The app was removed, or the token was never valid: no retry. */
  TOKEN_INVALID: 'TOKEN_INVALID',
  /** The push service rejects this notification and would reject it again: no retry. The token is kept. */
  REJECTED: 'REJECTED',
  /** The push service does not accept the notification now, for example because it is busy. */
  TRY_LATER: 'TRY_LATER',
  /** The push service could not be reached, or did not respond in time. */
  NO_RESPONSE: 'NO_RESPONSE',
} as const;
export type PushOutcome = (typeof PUSH_OUTCOME)[keyof typeof PUSH_OUTCOME];

/** Wrong credentials, which an operator may correct; a timeout, early data of TLS, and too many requests. */
const TEMPORARY_CLIENT_ERRORS: readonly number[] = [401, 403, 408, 425, 429];

/** Returns the outcome of a status other than 2xx (RFC 9110, 15.5): a client error is final unless it is temporary. */
export function outcomeOfRejection(status: number): PushOutcome {
  const isFinal = status >= 400 && status < 500 && !TEMPORARY_CLIENT_ERRORS.includes(status);
  return isFinal ? PUSH_OUTCOME.REJECTED : PUSH_OUTCOME.TRY_LATER;
}

/** Milliseconds after which a request to a push service has failed. */
export const PUSH_TIMEOUT_MS = 3_000;

/** Destination of a notification. */
export interface PushTarget {
  /** Registration token of the device; for Web Push the URL of the endpoint. */
  token: string;
  /** Encryption keys of the browser for Web Push, or `null` for other push services. */
  keys: WebPushKeys | null;
}

export interface PushMessage {
  content: PushContent;
  /** Seconds for which the push service stores the notification while the phone is unreachable. */
  ttl: number;
  /** High priority: wakes a phone in power-saving mode. */
  urgent: boolean;
  /** A later notification with the same topic replaces this notification on the phone. 32 characters of base64url. */
  topic: string;
}

/** Port: a push service that delivers notifications to phones or browsers. */
export interface PushProvider {
  readonly service: PushService;
  /** Never rejects. Logs single failures at debug only, because a person can choose an endpoint that always fails. */
  send(target: PushTarget, message: PushMessage): Promise<PushOutcome>;
  close(): Promise<void>;
}
