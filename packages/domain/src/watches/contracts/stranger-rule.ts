/** Maximum number of allowed numbers per child. */
export const MAX_ALLOWED_NUMBERS_PER_CHILD = 50;

/** How long an allowed number may call, in seconds. */
export const ALLOWED_NUMBER_TTL_SECONDS = { DEFAULT: 3_600, MIN: 60, MAX: 30 * 86_400 } as const;

/** Phone number of a caller as the phone network transmits it: digits in the format of any country. */
export const CALLER_NUMBER_PATTERN = /^\d{3,15}$/;

/** What the watch did with a call from a number that belongs to no contact. */
export const CALL_OUTCOME = { BLOCKED: 'BLOCKED', ALLOWED: 'ALLOWED' } as const;
export type CallOutcome = (typeof CALL_OUTCOME)[keyof typeof CALL_OUTCOME];

/** Why the watch blocked a call. */
export const BLOCK_CAUSE = { STRANGER: 'STRANGER', SCHOOL_TIME: 'SCHOOL_TIME' } as const;
export type BlockCause = (typeof BLOCK_CAUSE)[keyof typeof BLOCK_CAUSE];
