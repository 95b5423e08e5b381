/** Allowed distance between a simplified track and the omitted points, in metres. */
export const SIMPLIFY_TOLERANCE_METRES = { MIN: 1, MAX: 1_000 } as const;

/** Limits of a simplified track; a watch that reports every five seconds reaches 17,280 points in 24 hours. */
export const MAX_SIMPLIFIED_PERIOD = { HOURS: 24, POINTS: 20_000 } as const;

/** Maximum period of a query for visits, in days. */
export const MAX_VISITS_PERIOD_DAYS = 7;
