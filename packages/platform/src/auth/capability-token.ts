import { createHash, randomBytes } from 'node:crypto';

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
