/** Links that a child's position can be seen by at once. */
export const MAX_LOCATION_SHARES_PER_CHILD = 10;

/** How long a link can live, seconds. */
export const LOCATION_SHARE_TTL_SECONDS = { MIN: 60, DEFAULT: 3_600, MAX: 86_400 } as const;

/** Longest text that a shared position is shown with. */
export const MAX_LOCATION_SHARE_TITLE_LENGTH = 64;
