/** Numbers that can be allowed for one child at the same time. */
export const MAX_ALLOWED_NUMBERS_PER_CHILD = 50;

/** For how long a number can be allowed, seconds: an hour unless it is said, thirty days at most. */
export const ALLOWED_NUMBER_TTL_SECONDS = { DEFAULT: 3_600, MIN: 60, MAX: 30 * 86_400 } as const;

/** Of a number that is to be allowed, with or without `+`. */
export const CALLER_AREA_CODE_PATTERN = /^\+?\d{1,6}$/;

/** Digits, as callers present them; no pattern of one country, because strangers come from everywhere. */
export const CALLER_NUMBER_PATTERN = /^\d{3,15}$/;

/** What became of a call from somebody who is not among the contacts. */
export const CALL_OUTCOME = { BLOCKED: 'BLOCKED', ALLOWED: 'ALLOWED' } as const;
export type CallOutcome = (typeof CALL_OUTCOME)[keyof typeof CALL_OUTCOME];

/** Why a call was blocked. */
export const BLOCK_CAUSE = { STRANGER: 'STRANGER', SCHOOL_TIME: 'SCHOOL_TIME' } as const;
export type BlockCause = (typeof BLOCK_CAUSE)[keyof typeof BLOCK_CAUSE];

/** A number that may call although it is not a contact's. */
export interface AllowedNumber {
  allowId: string;
  /** With `+`. */
  areaCode: string;
  phoneNumber: string;
  /** One call uses it up. */
  once: boolean;
  /** Unix milliseconds. */
  expiresAt: number;
}

export interface StrangerRule {
  /** Calls from numbers that are neither a contact's nor allowed are refused; so it is until somebody changes it. */
  enabled: boolean;
  allowNumbers: AllowedNumber[];
}
