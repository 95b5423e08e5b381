/** What makes a stored point doubtful. A flagged point stays in the track, marked, and is never held for a good one. */
export const POINT_FLAG = {
  /** Its time lies ahead of the moment it arrived. */
  FUTURE: 'FUTURE',
  /** It arrived long after its time. */
  LATE: 'LATE',
  /** Nobody can have come from the point before it to here in that time. */
  IMPOSSIBLE_SPEED: 'IMPOSSIBLE_SPEED',
  /** Its radius is so large that it says little. */
  POOR_ACCURACY: 'POOR_ACCURACY',
  /** A guardian has said that the child was not there. */
  REPORTED_WRONG: 'REPORTED_WRONG',
} as const;
export type PointFlag = (typeof POINT_FLAG)[keyof typeof POINT_FLAG];

/** With one of these a point is no child's place, and no measure for other points. */
export const NON_CREDIBLE_FLAGS: readonly PointFlag[] = [
  POINT_FLAG.FUTURE,
  POINT_FLAG.IMPOSSIBLE_SPEED,
  POINT_FLAG.REPORTED_WRONG,
];

export function isCredible(flags: readonly PointFlag[]): boolean {
  return !flags.some((flag) => NON_CREDIBLE_FLAGS.includes(flag));
}
