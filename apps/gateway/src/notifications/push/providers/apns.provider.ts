import { Logger } from '@nestjs/common';
import apn, { type ProviderOptions } from '@parse/node-apn';
import {
  outcomeOfRejection,
  PUSH_OUTCOME,
  type PushMessage,
  type PushOutcome,
  type PushProvider,
  type PushTarget,
} from './push-provider.js';

/** APNs rejection reasons that mean the token is permanently invalid. */
const INVALID_TOKEN_REASONS: readonly (string | undefined)[] = [
  'BadDeviceToken',
  'DeviceTokenNotForTopic',
  'ExpiredToken',
  'Unregistered',
  'MissingDeviceToken',
];
/** APNs rejection reasons with status 400 of an idle connection, and of a bundle id that an operator may correct. */
const TEMPORARY_REASONS: readonly (string | undefined)[] = [
  'IdleTimeout',
  'TopicDisallowed',
  'MissingTopic',
  'BadTopic',
];

/**
 * Apple's push service. The app contains the texts that a locked phone shows; `loc-key` selects the text of the
 * message's category.
 */
export class ApnsProvider implements PushProvider {
  readonly service = 'APNS';
  private readonly logger = new Logger(ApnsProvider.name);
  private readonly provider: apn.Provider;

  /** @param appId bundle id of the app */
  constructor(
    options: ProviderOptions,
    private readonly appId: string,
  ) {
    this.provider = new apn.Provider(options);
  }

  async send({ token }: PushTarget, message: PushMessage): Promise<PushOutcome> {
    try {
      const { sent, failed } = await this.provider.send(this.toNotification(message), token);
      if (sent.length > 0) return PUSH_OUTCOME.DELIVERED_TO_PROVIDER;
      const [failure] = failed;
      const reason = failure?.response?.reason;
      if (failure?.status === 410 || INVALID_TOKEN_REASONS.includes(reason)) return PUSH_OUTCOME.TOKEN_INVALID;
      this.logger.debug({
        msg: 'Push notification rejected',
        service: 'APNS',
        errorCode: reason,
        errorName: failure?.error?.name,
      });
      if (TEMPORARY_REASONS.includes(reason)) return PUSH_OUTCOME.TRY_LATER;
      return typeof failure?.status === 'number' ? outcomeOfRejection(failure.status) : PUSH_OUTCOME.NO_RESPONSE;
    } catch (error) {
      this.logger.debug({ msg: 'Push notification failed', service: 'APNS', errorName: (error as Error).name });
      return PUSH_OUTCOME.NO_RESPONSE;
    }
  }

  async close(): Promise<void> {
    await this.provider.shutdown();
  }

  private toNotification({ content, ttl, urgent, topic }: PushMessage): apn.Notification {
    const notification = new apn.Notification();
    notification.topic = this.appId;
    notification.pushType = 'alert';
    notification.collapseId = topic;
    notification.expiry = Math.floor(Date.now() / 1_000) + ttl;
    notification.priority = urgent ? 10 : 5;
    notification.mutableContent = true;
    notification.aps = { 'mutable-content': 1, alert: { 'loc-key': `PUSH_${content.category}` } };
    if (urgent) notification.aps.sound = 'default';
    notification.payload = { ...content };
    return notification;
  }
}
