import type { PrincipalKey } from '../../kernel/contracts/principal.js';

/** How a location was determined (specification 2.3). */
export const POINT_TYPE = { UNKNOWN: 0, GPS: 1, WIFI: 2, CELL: 3, IP: 4 } as const;
export type PointType = (typeof POINT_TYPE)[keyof typeof POINT_TYPE];

/**
 * A location (specification 2.3). `latitude` and `longitude`: decimal degrees (WGS 84) as text. `positionTime`: Unix
 * milliseconds. `radius`: accuracy radius in metres.
 */
export interface Location {
  latitude: string;
  longitude: string;
  positionTime: number;
  radius: number;
  pointType: PointType;
}

/**
 * Why a stored point is implausible. A flagged point stays in the track; a point with one of {@link NON_CREDIBLE_FLAGS}
 * is not credible.
 */
export const POINT_FLAG = {
  /** The point's time is in the future: after the time at which the service received the point. */
  FUTURE: 'FUTURE',
  /** The service received the point long after the watch measured it. */
  LATE: 'LATE',
  /**
   * The child cannot have moved between this point and other points in the elapsed time, and more points agree with the
   * others. Later points can set or remove this flag.
   */
  IMPOSSIBLE_SPEED: 'IMPOSSIBLE_SPEED',
  /**
   * The point is within ten kilometres of latitude 0 and longitude 0, which receivers report when they have no fix. GPS
   * points that agree with each other remove this flag.
   */
  NO_FIX: 'NO_FIX',
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
  POINT_FLAG.NO_FIX,
  POINT_FLAG.REPORTED_WRONG,
];

export function isCredible(flags: readonly PointFlag[]): boolean {
  return !flags.some((flag) => NON_CREDIBLE_FLAGS.includes(flag));
}

/** States of a location request: pending, answered by a credible point, or expired without one. */
export const LOCATION_REQUEST_STATE = { ASKED: 'ASKED', ANSWERED: 'ANSWERED', EXPIRED: 'EXPIRED' } as const;
export type LocationRequestState = (typeof LOCATION_REQUEST_STATE)[keyof typeof LOCATION_REQUEST_STATE];

/** Maximum number of active location shares per child. */
export const MAX_LOCATION_SHARES_PER_CHILD = 10;

/** How long a location share is valid, in seconds. */
export const LOCATION_SHARE_TTL_SECONDS = { MIN: 60, DEFAULT: 3_600, MAX: 86_400 } as const;

/** Maximum length of a location share's title, in characters. */
export const MAX_LOCATION_SHARE_TITLE_LENGTH = 64;

/**
 * Range of the tolerance of a simplified track, in metres. The tolerance is the maximum distance of an omitted point
 * from the simplified track.
 */
export const SIMPLIFY_TOLERANCE_METRES = { MIN: 1, MAX: 1_000 } as const;

/**
 * Maximum period and maximum number of points of a track that is simplified. A watch that reports every five seconds
 * reports 17,280 points in 24 hours.
 */
export const MAX_SIMPLIFIED_TRACK = { HOURS: 24, POINTS: 20_000 } as const;

/** Maximum period of a query for visits, in days. */
export const MAX_VISITS_PERIOD_DAYS = 7;

/** Events `userctx.*` have the key `familyId`; events `gateway.*` have the key `watch:<did>`. */
export interface LocationEvents {
  /**
   * A watch reported points. The gateway acknowledges the points only after it has stored this event in its outbox.
   * `receivedAt`: Unix milliseconds.
   */
  'gateway.location.reported': { did: number; points: Location[]; receivedAt: number };
  /**
   * The child's last location changed. `corrects` is set if the previous last location is no longer credible, because a
   * guardian reported it wrong or other points contradict it, and an older location may replace it: the `positionTime`
   * of the previous last location.
   */
  'userctx.location.changed': { familyId: string; cid: string; did: number; location: Location; corrects?: number };
  /**
   * A guardian reported the last location, with this `positionTime`, wrong, and no other point replaces it. The child
   * no longer has a last location.
   */
  'userctx.location.withdrawn': { familyId: string; cid: string; positionTime: number };
  /** A guardian requested the location. The watch should report its location before `deadline` (Unix milliseconds). */
  'userctx.location.asked': {
    familyId: string;
    cid: string;
    did: number;
    askId: string;
    by: PrincipalKey;
    /** Unix milliseconds. */
    time: number;
    deadline: number;
  };
  /** A location share was created or ended. */
  'userctx.location-share.changed': {
    familyId: string;
    cid: string;
    shareId: string;
    active: boolean;
    by: PrincipalKey | null;
    /** Unix milliseconds. */
    time: number;
  };
}
