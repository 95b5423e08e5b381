import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/** A secret that opens one thing for a short time; it travels in an address, and only its hash is stored. */
export interface Capability {
  token: string;
  hash: Buffer;
}

export function mintCapability(): Capability {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, hash: hashOf(token) };
}

/** What a token is looked up by. A plain hash will do: the token is random and too long to guess. */
export function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
