import { createHash, randomBytes } from 'node:crypto';
import { deriveKey, SecretBox } from '@family-watch/platform/auth/secret-box';

const TOKEN_BYTES = 32;
const TOKEN_PATTERN = /^[\w-]{43}$/;
const SUCCESSOR_CONTEXT = 'successor';

/** Returns a new refresh token: 256 random bits, base64url. */
export function generateRefreshToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Returns the stored form of a token, or undefined when the text is not a refresh token. */
export function hashRefreshToken(token: string): Buffer | undefined {
  return TOKEN_PATTERN.test(token) ? createHash('sha256').update(token).digest() : undefined;
}

/**
 * Encrypts a token with a key derived from its predecessor. A client that lost the response to a refresh and retries
 * with the old token gets the same successor. The database contents alone do not reveal the successor.
 */
export function encryptSuccessor(token: string, successor: string): Buffer {
  return createBox(token).seal(Buffer.from(successor), SUCCESSOR_CONTEXT);
}

/** @throws SecretBoxOpenError */
export function decryptSuccessor(token: string, sealed: Buffer): string {
  return createBox(token).open(sealed, SUCCESSOR_CONTEXT).toString();
}

function createBox(token: string): SecretBox {
  return new SecretBox(deriveKey(token, 'accounts/refresh-successor'));
}
