/** How far a simplified track may lie from what was left out. Metres. */
export const SIMPLIFY_TOLERANCE_METRES = { MIN: 1, MAX: 1_000 } as const;

/** What can be simplified at once: a day, also of a watch that reports every five seconds. */
export const MAX_SIMPLIFIED_PERIOD = { HOURS: 24, POINTS: 20_000 } as const;

/** The longest period that visits are found in. Days. */
export const MAX_VISITS_PERIOD_DAYS = 7;
