import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { PaymentProviderName } from '@family-watch/domain/payments/contracts/payment';
import type { Order } from '../order.repository.js';

/** An order whose payment has begun. */
export type PayableOrder = Pick<
  Order,
  'orderId' | 'title' | 'amount' | 'currency' | 'expiresAt' | 'providerRef' | 'paymentRef'
>;

/** What a provider says about the payment of an order. */
export type PaymentReport =
  /** Not paid yet. */
  | { orderId: string; outcome: 'WAITING' }
  /** The payer has paid with a method that takes days. The payment can no longer be ended, and may still fail. */
  | { orderId: string; outcome: 'PROCESSING' }
  /** The payment was rejected or cancelled and can no longer be made. */
  | { orderId: string; outcome: 'FAILED' | 'CLOSED' }
  /** `amount` in the minor unit of `currency`; `paymentRef`: the provider's id of the payment. */
  | { orderId: string; outcome: 'PAID'; amount: number; currency: string; paymentRef: string | null };

/** A callback whose signature was verified. */
export interface ProviderCallback {
  /** Id of the notification, the same in each repetition. */
  callbackId: string;
  /** Null for a notification that does not report on the payment of an order. */
  report: PaymentReport | null;
}

/** A callback as received: the signature covers the bytes of the body. */
export interface RawCallback {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The response that tells the provider that a callback was processed. */
export interface CallbackResponse {
  contentType: string;
  body: string;
}

/**
 * A payment provider. Every method may be called again after a crash or a lost response, so requests to the provider
 * are identified by the order. Methods reject if the provider is unavailable or rejects the request; the outcome is then
 * unknown.
 */
export interface PaymentProvider {
  readonly name: PaymentProviderName;
  readonly callbackResponse: CallbackResponse;

  supportsCurrency(currency: string): boolean;

  /**
   * Announces the payment to the provider, and returns the URL at which the payer pays.
   * @param baseUrl - base of the URLs at which the payer reaches the service, without a trailing slash
   */
  startPayment(order: PayableOrder, baseUrl: string): Promise<{ checkoutUrl: string; providerRef: string | null }>;

  findPayment(order: PayableOrder): Promise<PaymentReport>;

  /** Ends the possibility to pay. Rejects if the order has been paid. */
  closePayment(order: PayableOrder): Promise<void>;

  /** Refunds the whole amount once, however often it is called. Returns false while the refund is in progress. */
  refund(order: PayableOrder): Promise<boolean>;

  /**
   * Verifies the signature of a callback and returns its content.
   * @throws ServiceError CALLBACK_INVALID
   */
  parseCallback(callback: RawCallback): Promise<ProviderCallback>;
}

/** Creates the error for a callback that is not genuine or not intended for this merchant. The cause is only logged. */
export function invalidCallback(cause: string): ServiceError {
  return new ServiceError('CALLBACK_INVALID', { cause: new Error(cause) });
}

/** Returns the value of a header that occurs once. @throws ServiceError CALLBACK_INVALID if it is missing */
export function requireHeader({ headers }: RawCallback, name: string): string {
  const value = headers[name];
  if (typeof value !== 'string' || value === '') throw invalidCallback(`Header ${name} is missing`);
  return value;
}

/** Parses JSON whose signature was verified. @throws ServiceError CALLBACK_INVALID */
export function parseCallbackJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below, like JSON that is no object.
  }
  throw invalidCallback('The body is no JSON object');
}

const MAX_ID_LENGTH = 256;
const OUTCOMES: readonly unknown[] = ['WAITING', 'PROCESSING', 'FAILED', 'CLOSED', 'PAID'];

/**
 * Reads a callback. A callback with a valid signature can have any content, so the content is checked here for all
 * providers, and whatever error it causes while it is read is that of an invalid callback.
 * @throws ServiceError CALLBACK_INVALID
 */
export async function readCallback(provider: PaymentProvider, callback: RawCallback): Promise<ProviderCallback> {
  let parsed: ProviderCallback;
  try {
    parsed = await provider.parseCallback(callback);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw invalidCallback(`The content cannot be read: ${String(error)}`);
  }
  const { callbackId, report } = parsed;
  if (!isIdentifier(callbackId)) throw invalidCallback('The callback has no valid id');
  if (report && !isReport(report)) throw invalidCallback('The callback reports nothing valid');
  return parsed;
}

function isReport(report: PaymentReport): boolean {
  if (!isIdentifier(report.orderId) || !OUTCOMES.includes(report.outcome)) return false;
  if (report.outcome !== 'PAID') return true;
  const { amount, currency, paymentRef } = report;
  return (
    Number.isSafeInteger(amount) &&
    isIdentifier(currency) &&
    ((paymentRef ?? null) === null || isIdentifier(paymentRef))
  );
}

/** Returns whether a value is text that the database accepts. */
function isIdentifier(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= MAX_ID_LENGTH &&
    value.isWellFormed() &&
    !value.includes('\0')
  );
}

/** Milliseconds after which a request to a provider fails. */
export const PROVIDER_TIMEOUT_MS = 10_000;
