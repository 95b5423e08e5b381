import { randomInt } from 'node:crypto';

/** Crockford's: no letter that is taken for another. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 10;

/** 50 random bits that a child can read out and type. */
export function newFriendCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** As it is compared: typed in any case and with any gaps. */
export function normalFriendCode(typed: string): string {
  return typed.replace(/[\s-]/g, '').toUpperCase();
}
