import type { PushContent, PushService, WebPushKeys } from '@family-watch/domain/messages/contracts/push';

export const PUSH_OUTCOME = {
  DELIVERED_TO_PROVIDER: 'DELIVERED_TO_PROVIDER',
  /** The app was removed, or the token was never good: it need not be tried again. */
  TOKEN_DEAD: 'TOKEN_DEAD',
  TRY_LATER: 'TRY_LATER',
} as const;
export type PushOutcome = (typeof PUSH_OUTCOME)[keyof typeof PUSH_OUTCOME];

/** Where a notification goes. */
export interface PushTarget {
  /** Registration token; for Web Push the endpoint. */
  token: string;
  /** For Web Push alone. */
  keys: WebPushKeys | null;
}

export interface PushMessage {
  note: PushContent;
  /** Seconds that the service keeps it for a phone that is away. */
  ttl: number;
  /** Wakes a phone that saves its battery. */
  urgent: boolean;
  /** A later one with the same topic takes its place on the phone: 32 characters of base64url. */
  topic: string;
}

/** Port: a service that carries notifications to phones or browsers. */
export interface PushProvider {
  readonly service: PushService;
  /** Never rejects: what went wrong without saying that the token is dead is tried again. */
  send(target: PushTarget, message: PushMessage): Promise<PushOutcome>;
  close(): Promise<void>;
}
