import { hash } from 'node:crypto';

const VARIANTS = '89ab';

/**
 * The id of the message that comes from `source`: the same source always makes the same message, so a repeated
 * event or request cannot make a second one. UUID version 8 (RFC 9562, 5.8).
 */
export function deriveMessageId(source: string): string {
  const hex = hash('sha256', source);
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
