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
} as const;
export type PointFlag = (typeof POINT_FLAG)[keyof typeof POINT_FLAG];
