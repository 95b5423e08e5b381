import { generateHumanReadableCode, normalizeHumanReadableCode } from '@family-watch/platform/auth/human-readable-code';

const LENGTH = 10;

/** 50 random bits that a child can read out and type. */
export function generateFriendCode(): string {
  return generateHumanReadableCode(LENGTH);
}

/** As it is compared. */
export const normalizeFriendCode = normalizeHumanReadableCode;
