/** Links that a child's position can be seen by at once. */
export const SHARE_LIMIT = 10;

/** How long a link can live, seconds. */
export const SHARE_LIFETIME = { MIN: 60, DEFAULT: 3_600, MAX: 86_400 } as const;

/** Longest text that a shared position is shown with. */
export const MAX_SHARE_TITLE = 64;
