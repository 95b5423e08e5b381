import { randomInt } from 'node:crypto';

/** Crockford's Base32 alphabet, without ambiguous letters. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Returns a random code that is easy to read out and type; each character contains five random bits. */
export function generateHumanReadableCode(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** Returns a typed code in the form in which codes are compared: upper case, without spaces and hyphens. */
export function normalizeHumanReadableCode(typed: string): string {
  return typed.replace(/[\s-]/g, '').toUpperCase();
}
