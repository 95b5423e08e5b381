import type { Agent } from 'node:http';
import { Logger } from '@nestjs/common';
import { cert, deleteApp, initializeApp } from 'firebase-admin/app';
import type { App } from 'firebase-admin/app';
import { getMessaging } from 'firebase-admin/messaging';
import { PUSH_OUTCOME } from './push-provider.js';
import type { PushMessage, PushOutcome, PushProvider, PushTarget } from './push-provider.js';

const DEAD: readonly unknown[] = [
  'messaging/registration-token-not-registered',
  'messaging/invalid-registration-token',
  'messaging/mismatched-credential',
  'messaging/invalid-argument',
];

/** Firebase Cloud Messaging, by Google's own library. */
export class FcmProvider implements PushProvider {
  readonly service = 'FCM';
  private readonly logger = new Logger(FcmProvider.name);
  private readonly app: App;

  /**
   * @param serviceAccount file of the service account
   * @param httpAgent how its servers are reached; absent means as usual
   */
  constructor(serviceAccount: string, httpAgent?: Agent) {
    const options = { credential: cert(serviceAccount, httpAgent), ...(httpAgent ? { httpAgent } : {}) };
    this.app = initializeApp(options, 'family-watch');
  }

  async send({ token }: PushTarget, { note, ttl, urgent, topic }: PushMessage): Promise<PushOutcome> {
    const { kind, category, cid } = note;
    const data = { kind, category, ...(cid === undefined ? {} : { cid }) };
    const android = { priority: urgent ? 'high' : 'normal', ttl: ttl * 1_000, collapseKey: topic } as const;
    try {
      await getMessaging(this.app).send({ token, data, android });
      return PUSH_OUTCOME.DELIVERED_TO_PROVIDER;
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (DEAD.includes(code)) return PUSH_OUTCOME.TOKEN_DEAD;
      this.logger.warn({ msg: 'Push notification rejected', service: 'FCM', errorCode: code });
      return PUSH_OUTCOME.TRY_LATER;
    }
  }

  async close(): Promise<void> {
    await deleteApp(this.app);
  }
}
