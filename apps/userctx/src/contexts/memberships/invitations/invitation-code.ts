import { createHash, randomBytes } from 'node:crypto';

/**
 * Returns 128 random bits as base64url. The entropy makes guessing infeasible, so an unsalted digest suffices at rest.
 */
export function generateInvitationCode(): string {
  return randomBytes(16).toString('base64url');
}

/** Returns the SHA-256 digest in lower-case hex. */
export function digestInvitationCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
