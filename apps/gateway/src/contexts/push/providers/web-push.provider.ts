import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Logger } from '@nestjs/common';
import webPush from 'web-push';
import type { RequestDetails } from 'web-push';
import { isPublicEndpoint, publicLookup } from './public-endpoint.js';
import { PUSH_OUTCOME } from './push-provider.js';
import type { PushMessage, PushOutcome, PushProvider, PushTarget } from './push-provider.js';

const TIMEOUT_MS = 10_000;

/** Keys that push services know this service by (RFC 8292), base64url, and how they reach whoever runs it. */
export interface VapidDetails {
  publicKey: string;
  privateKey: string;
  /** `mailto:` or `https:` address. */
  subject: string;
}

/** Web Push (RFC 8030): encrypted for the browser alone (RFC 8291), sent to the endpoint that the browser named. */
export class WebPushProvider implements PushProvider {
  readonly service = 'WEB_PUSH';
  private readonly logger = new Logger(WebPushProvider.name);

  /** @param allowInsecure also plain HTTP and private networks, for a push service of the tests */
  constructor(
    private readonly vapid: VapidDetails,
    private readonly allowInsecure: boolean,
  ) {}

  async send(target: PushTarget, message: PushMessage): Promise<PushOutcome> {
    if (!target.keys || (!this.allowInsecure && !isPublicEndpoint(target.token))) return PUSH_OUTCOME.TOKEN_DEAD;
    let details: RequestDetails;
    try {
      details = this.seal(target, message);
    } catch (error) {
      // Keys that nothing can be encrypted for.
      this.logger.warn({ msg: 'Web push subscription has unusable keys', errorName: (error as Error).name });
      return PUSH_OUTCOME.TOKEN_DEAD;
    }
    try {
      return outcomeOf(await this.post(details));
    } catch (error) {
      // Not its message: it may repeat the endpoint, which is a capability.
      this.logger.warn({
        msg: 'Push notification failed',
        service: 'WEB_PUSH',
        errorCode: (error as { code?: unknown }).code,
      });
      return PUSH_OUTCOME.TRY_LATER;
    }
  }

  async close(): Promise<void> {}

  private seal({ token, keys }: PushTarget, { note, ttl, urgent, topic }: PushMessage): RequestDetails {
    const subscription = { endpoint: token, keys: keys ?? { p256dh: '', auth: '' } };
    return webPush.generateRequestDetails(subscription, JSON.stringify(note), {
      vapidDetails: this.vapid,
      TTL: ttl,
      urgency: urgent ? 'high' : 'normal',
      topic,
    });
  }

  /** Resolves with the status. Redirections are not followed: they could lead anywhere. */
  private post({ endpoint, method, headers, body }: RequestDetails): Promise<number> {
    const secure = endpoint.startsWith('https:');
    const guarded = this.allowInsecure ? {} : { lookup: publicLookup };
    const options = { ...guarded, method, headers, timeout: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS) };
    return new Promise((resolve, reject) => {
      const sending = (secure ? httpsRequest : httpRequest)(endpoint, options, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sending.on('error', reject);
      sending.end(body);
    });
  }
}

/** RFC 8030, 5 and 7.3, and RFC 8292, 4.2: gone, unknown, or subscribed to with another key. */
function outcomeOf(status: number): PushOutcome {
  if (status >= 200 && status < 300) return PUSH_OUTCOME.DELIVERED_TO_PROVIDER;
  return [403, 404, 410].includes(status) ? PUSH_OUTCOME.TOKEN_DEAD : PUSH_OUTCOME.TRY_LATER;
}
