import { hash } from 'node:crypto';

const VARIANT_DIGITS = '89ab';

/**
 * Derives a message id from `source`. The same source always yields the same id, so a repeated event or request cannot
 * create a second message. UUID version 8 (RFC 9562, 5.8).
 */
export function deriveMessageId(source: string): string {
  const hex = hash('sha256', source);
  const variant = VARIANT_DIGITS[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
