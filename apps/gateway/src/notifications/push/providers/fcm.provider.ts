import type { Agent } from 'node:http';
import { Logger } from '@nestjs/common';
import { cert, deleteApp, initializeApp, type App } from 'firebase-admin/app';
import { getMessaging } from 'firebase-admin/messaging';
import {
  PUSH_OUTCOME,
  type PushMessage,
  type PushOutcome,
  type PushProvider,
  type PushTarget,
} from './push-provider.js';

/** FCM error codes that mean the token is permanently invalid. */
const INVALID_TOKEN_CODES: readonly unknown[] = [
  'messaging/registration-token-not-registered',
  'messaging/invalid-registration-token',
  'messaging/mismatched-credential',
  'messaging/invalid-argument',
];

/** Firebase Cloud Messaging, through Google's library. */
export class FcmProvider implements PushProvider {
  readonly service = 'FCM';
  private readonly logger = new Logger(FcmProvider.name);
  private readonly app: App;

  /**
   * @param serviceAccount path of the service account file
   * @param httpAgent agent for requests to Google's servers; defaults to Node's agent
   */
  constructor(serviceAccount: string, httpAgent?: Agent) {
    const options = { credential: cert(serviceAccount, httpAgent), ...(httpAgent ? { httpAgent } : {}) };
    this.app = initializeApp(options, 'family-watch');
  }

  async send({ token }: PushTarget, { content, ttl, urgent, topic }: PushMessage): Promise<PushOutcome> {
    const { kind, category, cid } = content;
    const data = { kind, category, ...(cid === undefined ? {} : { cid }) };
    const android = { priority: urgent ? 'high' : 'normal', ttl: ttl * 1_000, collapseKey: topic } as const;
    try {
      await getMessaging(this.app).send({ token, data, android });
      return PUSH_OUTCOME.DELIVERED_TO_PROVIDER;
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (INVALID_TOKEN_CODES.includes(code)) return PUSH_OUTCOME.TOKEN_INVALID;
      this.logger.debug({ msg: 'Push notification rejected', service: 'FCM', errorCode: code });
      // Other codes are of errors without a response of FCM, such as app/network-error.
      return String(code).startsWith('messaging/') ? PUSH_OUTCOME.TRY_LATER : PUSH_OUTCOME.NO_RESPONSE;
    }
  }

  async close(): Promise<void> {
    await deleteApp(this.app);
  }
}
