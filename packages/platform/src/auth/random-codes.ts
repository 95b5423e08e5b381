import { createHash, randomBytes, randomInt } from 'node:crypto';

const TOKEN_BYTES = 32;

/**
 * A random token that gives access to one resource for a limited time. The token is part of a URL; only its hash is
 * stored.
 */
export interface CapabilityToken {
  token: string;
  hash: Buffer;
}

export function createCapabilityToken(): CapabilityToken {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, hash: hashCapabilityToken(token) };
}

/** Returns the hash by which a token is looked up. Unsalted SHA-256 suffices: the token has 256 random bits. */
export function hashCapabilityToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Crockford's Base32 alphabet, without ambiguous letters. */
const CODE_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Returns a random code that is easy to read out and type; each character contains five random bits. */
export function generateHumanReadableCode(length: number): string {
  return Array.from({ length }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('');
}

/** Returns a typed code in the form in which codes are compared: upper case, without spaces and hyphens. */
export function normalizeHumanReadableCode(typed: string): string {
  return typed.replace(/[\s-]/g, '').toUpperCase();
}
