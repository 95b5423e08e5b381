import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Logger } from '@nestjs/common';
import webPush, { type RequestDetails } from 'web-push';
import { isPublicEndpoint, publicLookup } from './public-endpoint.js';
import {
  outcomeOfRejection,
  PUSH_OUTCOME,
  PUSH_TIMEOUT_MS,
  type PushMessage,
  type PushOutcome,
  type PushProvider,
  type PushTarget,
} from './push-provider.js';

/** Keys that identify this service to push services (RFC 8292), base64url, and the contact URL of its operator. */
export interface VapidDetails {
  publicKey: string;
  privateKey: string;
  /** `mailto:` or `https:` URL. */
  subject: string;
}

/** Encrypts notifications for a browser (RFC 8291) and sends them to the endpoint of its subscription (RFC 8030). */
export class WebPushProvider implements PushProvider {
  readonly service = 'WEB_PUSH';
  private readonly logger = new Logger(WebPushProvider.name);

  /** @param allowInsecure also allows plain HTTP and private networks, for the local push service of tests */
  constructor(
    private readonly vapid: VapidDetails,
    private readonly allowInsecure: boolean,
  ) {}

  async send(target: PushTarget, message: PushMessage): Promise<PushOutcome> {
    if (!target.keys || (!this.allowInsecure && !isPublicEndpoint(target.token))) return PUSH_OUTCOME.TOKEN_INVALID;
    let details: RequestDetails;
    try {
      details = this.createEncryptedRequest(target, message);
    } catch (error) {
      // The subscription's keys cannot be used for encryption.
      this.logger.warn({ msg: 'Web push subscription has unusable keys', errorName: (error as Error).name });
      return PUSH_OUTCOME.TOKEN_INVALID;
    }
    try {
      return toOutcome(await this.post(details));
    } catch (error) {
      // Do not log the error message: it may contain the endpoint, which is a capability URL.
      this.logger.debug({
        msg: 'Push notification failed',
        service: 'WEB_PUSH',
        errorCode: (error as { code?: unknown }).code,
      });
      return PUSH_OUTCOME.NO_RESPONSE;
    }
  }

  async close(): Promise<void> {}

  private createEncryptedRequest(
    { token, keys }: PushTarget,
    { content, ttl, urgent, topic }: PushMessage,
  ): RequestDetails {
    const subscription = { endpoint: token, keys: keys ?? { p256dh: '', auth: '' } };
    return webPush.generateRequestDetails(subscription, JSON.stringify(content), {
      vapidDetails: this.vapid,
      TTL: ttl,
      urgency: urgent ? 'high' : 'normal',
      topic,
    });
  }

  /**
   * Sends the request; resolves with the HTTP status when the response has ended or the time is over, so that the caller
   * counts the connection as long as it is open. Does not follow redirects, because they could lead to a private network.
   */
  private post({ endpoint, method, headers, body }: RequestDetails): Promise<number> {
    const isSecure = endpoint.startsWith('https:');
    const lookupOption = this.allowInsecure ? {} : { lookup: publicLookup };
    const options = {
      ...lookupOption,
      method,
      headers,
      timeout: PUSH_TIMEOUT_MS,
      signal: AbortSignal.timeout(PUSH_TIMEOUT_MS),
    };
    return new Promise((resolve, reject) => {
      const request = (isSecure ? httpsRequest : httpRequest)(endpoint, options, (response) => {
        response.on('error', () => undefined);
        response.on('close', () => resolve(response.statusCode ?? 0));
        response.resume();
      });
      request.on('error', reject);
      request.end(body);
    });
  }
}

/**
 * Converts the HTTP status of a push service (RFC 8030, 5 and 7.3, and RFC 8292, 4.2): 403 means that the browser
 * subscribed with another key, 404 that the subscription is unknown, 410 that it has expired.
 */
function toOutcome(status: number): PushOutcome {
  if (status >= 200 && status < 300) return PUSH_OUTCOME.DELIVERED_TO_PROVIDER;
  return [403, 404, 410].includes(status) ? PUSH_OUTCOME.TOKEN_INVALID : outcomeOfRejection(status);
}
