/**
 * Why a stored point is implausible. A flagged point stays in the track; a point with one of {@link NON_CREDIBLE_FLAGS}
 * is not credible.
 */
export const POINT_FLAG = {
  /** The point's time is after the time of receipt. */
  FUTURE: 'FUTURE',
  /** The point was received long after its time. */
  LATE: 'LATE',
  /** The child cannot have moved from the previous point to this point in the elapsed time. */
  IMPOSSIBLE_SPEED: 'IMPOSSIBLE_SPEED',
  /** The point's accuracy radius is too large to be useful. */
  POOR_ACCURACY: 'POOR_ACCURACY',
  /** A guardian reported that the child was not at this location. */
  REPORTED_WRONG: 'REPORTED_WRONG',
} as const;
export type PointFlag = (typeof POINT_FLAG)[keyof typeof POINT_FLAG];

/**
 * Flags of points that are not credible. A point that is not credible is never the last location, and no other point is
 * compared with it.
 */
export const NON_CREDIBLE_FLAGS: readonly PointFlag[] = [
  POINT_FLAG.FUTURE,
  POINT_FLAG.IMPOSSIBLE_SPEED,
  POINT_FLAG.REPORTED_WRONG,
];

export function isCredible(flags: readonly PointFlag[]): boolean {
  return !flags.some((flag) => NON_CREDIBLE_FLAGS.includes(flag));
}
