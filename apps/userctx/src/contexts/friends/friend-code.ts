import { generateHumanReadableCode, normalizeHumanReadableCode } from '@family-watch/platform/auth/random-codes';

const CODE_LENGTH = 10;

/** Returns a code of 50 random bits that a child can read out and type. */
export function generateFriendCode(): string {
  return generateHumanReadableCode(CODE_LENGTH);
}

/** Returns the form in which friend codes are compared. */
export const normalizeFriendCode = normalizeHumanReadableCode;
