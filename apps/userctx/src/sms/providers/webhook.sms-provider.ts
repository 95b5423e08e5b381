import { createHmac, timingSafeEqual } from 'node:crypto';
import { renderSmsText } from '../sms-texts.js';
import { createReceipt, parseJson, shortText } from './receipt-json.js';
import {
  errorCodeOf,
  type OutgoingSms,
  type ReceiptCallback,
  type SmsOutcome,
  type SmsProvider,
  type SmsReceipt,
} from './sms-provider.js';

export interface WebhookSettings {
  url: string;
  secret: string;
  timeoutMs: number;
}

/** Seconds that the clock of the sender of a receipt may differ. */
const MAX_CLOCK_DIFFERENCE_SECONDS = 300;

/** Headers of a signed request. */
export const WEBHOOK_TIMESTAMP_HEADER = 'x-family-watch-timestamp';
export const WEBHOOK_SIGNATURE_HEADER = 'x-family-watch-signature';

/**
 * Returns the signature of a request to or from the webhook: HMAC-SHA-256 of `<timestamp>.<body>`, hexadecimal.
 * @param timestamp - Unix seconds
 */
export function signWebhookBody(secret: string, timestamp: string, body: Buffer | string): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}

/** Any other provider: passes each SMS to a URL of the operator as a signed POST request (docs/sms.md). */
export class WebhookSmsProvider implements SmsProvider {
  readonly name = 'webhook';

  constructor(private readonly settings: WebhookSettings) {}

  async send({ messageId, message, language, value }: OutgoingSms): Promise<SmsOutcome> {
    const { areaCode, phoneNumber, scene } = message;
    const text = renderSmsText(language, scene, value);
    const body = JSON.stringify({ messageId, areaCode, phoneNumber, scene, language, value, text });
    const timestamp = String(Math.floor(Date.now() / 1_000));
    try {
      const response = await fetch(this.settings.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          [WEBHOOK_TIMESTAMP_HEADER]: timestamp,
          [WEBHOOK_SIGNATURE_HEADER]: signWebhookBody(this.settings.secret, timestamp, body),
        },
        body,
        signal: AbortSignal.timeout(this.settings.timeoutMs),
        redirect: 'error',
      });
      await response.body?.cancel();
      return toOutcome(response.status, messageId);
    } catch (error) {
      return { state: 'UNAVAILABLE', errorCode: errorCodeOf(error) };
    }
  }

  parseReceipts({ body, headers }: ReceiptCallback): SmsReceipt[] | undefined {
    const { [WEBHOOK_TIMESTAMP_HEADER]: timestamp, [WEBHOOK_SIGNATURE_HEADER]: signature } = headers;
    if (typeof timestamp !== 'string' || typeof signature !== 'string' || !/^\d{1,12}$/.test(timestamp))
      return undefined;
    if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > MAX_CLOCK_DIFFERENCE_SECONDS) return undefined;
    const expected = Buffer.from(signWebhookBody(this.settings.secret, timestamp, body));
    const received = Buffer.from(signature);
    if (received.length !== expected.length || !timingSafeEqual(received, expected)) return undefined;
    const { messageId, state, errorCode } = (parseJson(body) ?? {}) as Record<string, unknown>;
    if (state !== 'DELIVERED' && state !== 'UNDELIVERED') return undefined;
    const isDelivered = state === 'DELIVERED';
    return [
      createReceipt(isDelivered, {
        messageId: shortText(messageId),
        errorCode: isDelivered ? null : shortText(errorCode),
      }),
    ];
  }
}

/** 2xx: accepted. 422: the number cannot receive SMS. 5xx and 429: unavailable. All others: refused. */
function toOutcome(status: number, messageId: string): SmsOutcome {
  if (status >= 200 && status < 300) return { state: 'ACCEPTED', providerMessageId: messageId };
  const errorCode = `HTTP_${status}`;
  if (status === 422) return { state: 'REJECTED', errorCode };
  return { state: status >= 500 || status === 429 || status === 401 ? 'UNAVAILABLE' : 'REFUSED', errorCode };
}
