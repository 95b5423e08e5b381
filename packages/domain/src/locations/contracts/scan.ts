/** Why the service stored nothing from a scan. The watch must not send a rejected scan again. */
export const SCAN_REJECTION_REASON = {
  NOT_AN_OBJECT: 'NOT_AN_OBJECT',
  INVALID_LATITUDE: 'INVALID_LATITUDE',
  INVALID_LONGITUDE: 'INVALID_LONGITUDE',
  INVALID_POSITION_TIME: 'INVALID_POSITION_TIME',
  /** The time is before 2015: it is in seconds instead of milliseconds, or the watch's clock is not set. */
  POSITION_TIME_BEFORE_2015: 'POSITION_TIME_BEFORE_2015',
  INVALID_RADIUS: 'INVALID_RADIUS',
  INVALID_ACCESS_POINTS: 'INVALID_ACCESS_POINTS',
  INVALID_CELL_TOWERS: 'INVALID_CELL_TOWERS',
  /** The location is too inaccurate to estimate the locations of networks. */
  POOR_ACCURACY: 'POOR_ACCURACY',
  /** The scan's time is in the future, or so long ago that the networks at the location may have changed. */
  NOT_RECENT: 'NOT_RECENT',
  /** No network was observed, or the service may store none of the observed networks. */
  NOTHING_TO_LEARN: 'NOTHING_TO_LEARN',
  /** The owner of the child's family has not consented to POSITIONING. */
  CONSENT_MISSING: 'CONSENT_MISSING',
} as const;
export type ScanRejectionReason = (typeof SCAN_REJECTION_REASON)[keyof typeof SCAN_REJECTION_REASON];

/** Maximum accuracy radius of a scan's location, in metres; the service rejects less accurate scans. */
export const MAX_SCAN_RADIUS_METRES = 100;
