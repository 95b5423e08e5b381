import type { IncomingHttpHeaders } from 'node:http';
import type { SmsLanguage, SmsProviderName } from '@family-watch/domain/sms/contracts/sms';
import type { SmsMessage } from '../sms-message.js';

/** An SMS for a provider. */
export interface OutgoingSms {
  /** Id of the SMS at this provider; a new attempt has another id. */
  messageId: string;
  message: SmsMessage;
  language: SmsLanguage;
  /** The one variable of the text: the code, or the time of the alert (`HH:mm`). */
  value: string;
}

/** The provider's response, as `SMS_STATE` explains it. */
export type SmsOutcome =
  | { state: 'ACCEPTED'; providerMessageId: string | null }
  | { state: 'REJECTED' | 'REFUSED' | 'UNAVAILABLE'; errorCode: string };

/** A request in which a provider reports on sent SMS. */
export interface ReceiptCallback {
  body: Buffer;
  headers: IncomingHttpHeaders;
  /** The query parameter `messageId`. */
  messageId?: string;
  /** The secret last segment of the path, for providers without signatures. */
  token?: string;
}

/** The final state of one SMS, identified by our id or by the provider's id. */
export interface SmsReceipt {
  messageId: string | null;
  providerMessageId: string | null;
  state: 'DELIVERED' | 'UNDELIVERED';
  errorCode: string | null;
}

/** Port: a provider that sends SMS. */
export interface SmsProvider {
  readonly name: SmsProviderName;
  /** Never rejects. */
  send(sms: OutgoingSms): Promise<SmsOutcome>;
  /**
   * Returns the final states in a provider's request, or undefined unless the request is authentic and well-formed.
   * Absent if the provider sends no receipts.
   */
  parseReceipts?(callback: ReceiptCallback): SmsReceipt[] | undefined;
}

/** Returns a name for a failure that contains neither the phone number nor the text, unlike the error's message. */
export function errorCodeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const found = [code, name].find((each) => typeof each === 'string' || typeof each === 'number');
  return found !== undefined && /^[\w.:-]{1,64}$/.test(String(found)) ? String(found) : 'UNKNOWN';
}
