import { newReadableCode, normalReadableCode } from '@family-watch/platform/auth/readable-code';

const LENGTH = 10;

/** 50 random bits that a child can read out and type. */
export function newFriendCode(): string {
  return newReadableCode(LENGTH);
}

/** As it is compared. */
export const normalFriendCode = normalReadableCode;
