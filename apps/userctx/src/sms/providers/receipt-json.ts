import type { SmsReceipt } from './sms-provider.js';

/**
 * Returns the objects of a JSON array, or undefined if the body is not a JSON array. Elements that are no objects are
 * omitted.
 */
export function parseReceiptList(body: Buffer): Record<string, unknown>[] | undefined {
  const parsed = parseJson(body);
  if (!Array.isArray(parsed)) return undefined;
  return parsed.filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null);
}

/** Returns the parsed JSON, or undefined if the body is not JSON. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** Returns a text of at most 128 characters, or null for other values. */
export function shortText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, 128).toWellFormed().replaceAll('\0', '') : null;
}

export function createReceipt(isDelivered: boolean, fields: Partial<SmsReceipt>): SmsReceipt {
  const state = isDelivered ? 'DELIVERED' : 'UNDELIVERED';
  return { messageId: null, providerMessageId: null, errorCode: null, ...fields, state };
}
