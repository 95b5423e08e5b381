import { createHash, randomBytes } from 'node:crypto';
import { deriveKey, SecretBox } from '@family-watch/platform/auth/secret-box';

const TOKEN_BYTES = 32;
const TOKEN_TEXT = /^[\w-]{43}$/;
const SUCCESSOR = 'successor';

/** A new refresh token: 256 random bits, base64url. */
export function generateRefreshToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** How a token is kept; undefined for a text that is none. */
export function hashRefreshToken(token: string): Buffer | undefined {
  return TOKEN_TEXT.test(token) ? createHash('sha256').update(token).digest() : undefined;
}

/**
 * Encrypts a token under the one it follows. Who lost the answer to a refresh and asks again with the old token gets
 * the same successor, and the database alone gives it to nobody.
 */
export function encryptSuccessor(token: string, successor: string): Buffer {
  return boxOf(token).seal(Buffer.from(successor), SUCCESSOR);
}

/** @throws SecretBoxOpenError */
export function decryptSuccessor(token: string, sealed: Buffer): string {
  return boxOf(token).open(sealed, SUCCESSOR).toString();
}

function boxOf(token: string): SecretBox {
  return new SecretBox(deriveKey(token, 'accounts/refresh-successor'));
}
