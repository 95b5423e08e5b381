import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/** A secret that opens one thing for a short time; it travels in an address, and only its hash is stored. */
export interface CapabilityToken {
  token: string;
  hash: Buffer;
}

export function createCapabilityToken(): CapabilityToken {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, hash: hashCapabilityToken(token) };
}

/** What a token is looked up by. A plain hash will do: the token is random and too long to guess. */
export function hashCapabilityToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
