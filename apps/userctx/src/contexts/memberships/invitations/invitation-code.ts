import { createHash, randomBytes } from 'node:crypto';

/** 128 random bits, base64url: nothing to guess, and so a plain digest is enough at rest. */
export function generateInvitationCode(): string {
  return randomBytes(16).toString('base64url');
}

/** SHA-256, lower-case hex. */
export function digestInvitationCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
