import twilio from 'twilio';
import { toE164 } from '../sms-message.js';
import { renderSmsText } from '../sms-texts.js';
import { createReceipt, shortText } from './receipt-json.js';
import {
  errorCodeOf,
  type OutgoingSms,
  type ReceiptCallback,
  type SmsOutcome,
  type SmsProvider,
  type SmsReceipt,
} from './sms-provider.js';

export interface TwilioSettings {
  accountSid: string;
  authToken: string;
  /** Phone number of the sender, or SID of a messaging service. */
  from: string;
  /** URL of the operation that receives receipts; undefined if this service has no public URL. */
  receiptUrl?: string;
  timeoutMs: number;
}

/** Twilio's errors 21211, 21217 and 21614: the number is no mobile number. */
const REJECTED_CODES = ['21211', '21217', '21614'];

/** Statuses of the receipts that are final, with whether the SMS was delivered. Twilio also reports other statuses. */
const FINAL_STATUSES: ReadonlyMap<string | null, boolean> = new Map([
  ['delivered', true],
  ['undelivered', false],
  ['failed', false],
]);

/** Twilio, through its library. */
export class TwilioSmsProvider implements SmsProvider {
  readonly name = 'twilio';
  private readonly client: twilio.Twilio;

  /** @param httpClient - sends the library's requests */
  constructor(
    private readonly settings: TwilioSettings,
    httpClient = new twilio.RequestClient({ timeout: settings.timeoutMs }),
  ) {
    this.client = new twilio.Twilio(settings.accountSid, settings.authToken, { httpClient });
  }

  async send({ messageId, message, language, value }: OutgoingSms): Promise<SmsOutcome> {
    const { from } = this.settings;
    try {
      const { sid } = await this.client.messages.create({
        to: toE164(message),
        ...(from.startsWith('MG') ? { messagingServiceSid: from } : { from }),
        body: renderSmsText(language, message.scene, value),
        statusCallback: this.receiptUrlOf(messageId),
      });
      return { state: 'ACCEPTED', providerMessageId: sid };
    } catch (error) {
      const errorCode = errorCodeOf(error);
      if (REJECTED_CODES.includes(errorCode)) return { state: 'REJECTED', errorCode };
      // Without a status, the API did not respond.
      const { status } = error as { status?: number };
      const isRefused = status !== undefined && status < 500 && ![401, 403, 429].includes(status);
      return { state: isRefused ? 'REFUSED' : 'UNAVAILABLE', errorCode };
    }
  }

  parseReceipts({ body, headers, messageId }: ReceiptCallback): SmsReceipt[] | undefined {
    const signature = headers['x-twilio-signature'];
    if (messageId === undefined || typeof signature !== 'string') return undefined;
    const url = this.receiptUrlOf(messageId);
    const fields = Object.fromEntries(new URLSearchParams(body.toString()));
    if (url === undefined || !twilio.validateRequest(this.settings.authToken, signature, url, fields)) return undefined;
    const isDelivered = FINAL_STATUSES.get(shortText(fields['MessageStatus']));
    if (isDelivered === undefined) return [];
    return [createReceipt(isDelivered, { messageId, errorCode: shortText(fields['ErrorCode']) })];
  }

  /** The URL that the library's signature covers, with the query. */
  private receiptUrlOf(messageId: string): string | undefined {
    const { receiptUrl } = this.settings;
    return receiptUrl === undefined ? undefined : `${receiptUrl}?messageId=${encodeURIComponent(messageId)}`;
  }
}
