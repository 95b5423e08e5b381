import { randomInt } from 'node:crypto';

/** Crockford's: no letter that is taken for another. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Random characters of five bits each that a person can read out and type. */
export function generateHumanReadableCode(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** As it is compared: typed in any case and with any gaps. */
export function normalizeHumanReadableCode(typed: string): string {
  return typed.replace(/[\s-]/g, '').toUpperCase();
}
