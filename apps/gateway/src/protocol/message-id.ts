import { hash } from 'node:crypto';

/**
 * The id of the message that comes from `source`: the same source always makes the same message, so a repeated
 * event or request cannot make a second one. UUID version 8 (RFC 9562, 5.8).
 */
export function messageIdOf(source: string): string {
  const digest = hash('sha256', source, 'buffer');
  digest[6] = (digest.readUInt8(6) & 0x0f) | 0x80;
  digest[8] = (digest.readUInt8(8) & 0x3f) | 0x80;
  const hex = digest.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
