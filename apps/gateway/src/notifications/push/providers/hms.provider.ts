import { Logger } from '@nestjs/common';
import {
  PUSH_OUTCOME,
  PUSH_TIMEOUT_MS,
  type PushMessage,
  type PushOutcome,
  type PushProvider,
  type PushTarget,
} from './push-provider.js';

/** Milliseconds between the renewal of the access token and its expiry. */
const RENEW_BEFORE_EXPIRY_MS = 60_000;

export interface HmsApp {
  appId: string;
  appSecret: string;
}

export interface HmsUrls {
  auth: string;
  push: string;
}

const HUAWEI_URLS: HmsUrls = {
  auth: 'https://oauth-login.cloud.huawei.com',
  push: 'https://push-api.cloud.huawei.com',
};

/** Result codes of Huawei's push API, version 1. */
const RESULT_CODE = {
  SUCCESS: '80000000',
  SOME_TOKENS_INVALID: '80100000',
  ALL_TOKENS_INVALID: '80300007',
  /** Invalid parameters, an invalid structure, and a message that is too large. */
  MESSAGE_INVALID: ['80100001', '80100003', '80300008'],
  ACCESS_TOKEN_REFUSED: ['80200001', '80200003'],
};

/** Huawei's push service, through its documented HTTPS API: Huawei publishes no library on npm. */
export class HmsProvider implements PushProvider {
  readonly service = 'HMS';
  private readonly logger = new Logger(HmsProvider.name);
  private cachedAccessToken: { token: string; expiresAt: number } | undefined;

  constructor(
    private readonly app: HmsApp,
    private readonly urls: HmsUrls = HUAWEI_URLS,
  ) {}

  async send({ token }: PushTarget, message: PushMessage): Promise<PushOutcome> {
    try {
      const code = await this.post(token, message);
      if (code === RESULT_CODE.SUCCESS) return PUSH_OUTCOME.DELIVERED_TO_PROVIDER;
      if (code === RESULT_CODE.ALL_TOKENS_INVALID || code === RESULT_CODE.SOME_TOKENS_INVALID)
        return PUSH_OUTCOME.TOKEN_INVALID;
      if (RESULT_CODE.ACCESS_TOKEN_REFUSED.includes(code)) this.cachedAccessToken = undefined;
      this.logger.debug({ msg: 'Push notification rejected', service: 'HMS', errorCode: code });
      return RESULT_CODE.MESSAGE_INVALID.includes(code) ? PUSH_OUTCOME.REJECTED : PUSH_OUTCOME.TRY_LATER;
    } catch (error) {
      this.logger.debug({ msg: 'Push notification failed', service: 'HMS', errorName: (error as Error).name });
      return PUSH_OUTCOME.NO_RESPONSE;
    }
  }

  async close(): Promise<void> {}

  /** Sends the notification; resolves with the result code of Huawei's push API. */
  private async post(token: string, { content, ttl, urgent, topic }: PushMessage): Promise<string> {
    const android = { urgency: urgent ? 'HIGH' : 'NORMAL', ttl: `${ttl}s`, collapse_key: toCollapseKey(topic) };
    const body = { validate_only: false, message: { data: JSON.stringify(content), android, token: [token] } };
    const response = await fetch(`${this.urls.push}/v1/${this.app.appId}/messages:send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await this.accessToken()}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PUSH_TIMEOUT_MS),
      redirect: 'error',
    });
    const result = (await response.json().catch(() => ({}))) as { code?: string };
    return result.code ?? `HTTP ${response.status}`;
  }

  private async accessToken(): Promise<string> {
    if (this.cachedAccessToken && this.cachedAccessToken.expiresAt - RENEW_BEFORE_EXPIRY_MS > Date.now())
      return this.cachedAccessToken.token;
    const { appId, appSecret } = this.app;
    const response = await fetch(`${this.urls.auth}/oauth2/v3/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: appId, client_secret: appSecret }),
      signal: AbortSignal.timeout(PUSH_TIMEOUT_MS),
      redirect: 'error',
    });
    if (!response.ok) throw new Error(`HMS access token request failed: HTTP ${response.status}`);
    const { access_token: token, expires_in: seconds } = (await response.json()) as AccessTokenResponse;
    this.cachedAccessToken = { token, expiresAt: Date.now() + seconds * 1_000 };
    return token;
  }
}

interface AccessTokenResponse {
  access_token: string;
  /** Seconds. */
  expires_in: number;
}

/** Converts the topic into Huawei's collapse key, a number from 0 to 100. */
function toCollapseKey(topic: string): number {
  return Buffer.from(topic, 'base64url').readUInt32BE(0) % 101;
}
