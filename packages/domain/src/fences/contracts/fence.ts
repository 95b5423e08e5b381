/** What a fence tells of a child. */
export const FENCE_EVENT_TYPE = {
  ENTERED: 'ENTERED',
  LEFT: 'LEFT',
  /** Has been inside for as long as the fence asks. */
  DWELLED: 'DWELLED',
  /** Was not there when a guard window says it should be. */
  NOT_ARRIVED: 'NOT_ARRIVED',
  /** Left before a guard window says it may. */
  LEFT_EARLY: 'LEFT_EARLY',
} as const;
export type FenceEventType = (typeof FENCE_EVENT_TYPE)[keyof typeof FENCE_EVENT_TYPE];

/** Radius, width and area in metres; dwell in seconds; latitude in degrees, away from the poles. */
export const FENCE_LIMITS = {
  perChild: 50,
  radius: { min: 50, max: 50_000 },
  corners: { min: 3, max: 100 },
  area: { min: 1_000 },
  width: { max: 100_000 },
  latitude: { max: 85 },
  dwell: { min: 60, max: 43_200, preset: 600 },
  windows: 10,
} as const;

/** A place on the ground in decimal degrees WGS 84, as text. */
export interface GeoPoint {
  latitude: string;
  longitude: string;
}

/** `radius` in metres. */
export interface FenceCircle extends GeoPoint {
  radius: number;
}

/** The corners in their order; the last one is joined to the first. */
export interface FencePolygon {
  points: GeoPoint[];
}

/** Exactly one of the two is there. */
export interface FenceShape {
  circle: FenceCircle | null;
  polygon: FencePolygon | null;
}

/** Which of the things that a fence notices the family asked to be told. */
export interface FenceNotifications {
  entered: boolean;
  left: boolean;
  dwelled: boolean;
}

/**
 * When the child should be inside: from `from` to `to` (`HH:MM` in the child's time zone) on the days that it starts
 * on. A window that ends before its start crosses midnight and belongs to the day it starts on.
 */
export interface AttendanceWindow {
  /** 1 Monday to 7 Sunday. */
  weekdays: number[];
  from: string;
  to: string;
  /** `YYYY-MM-DD` on which it does not start although the weekday fits. */
  skipDates: string[];
  /** `HH:MM` within the window: who is not inside by then has not arrived. `null`: nobody is waiting. */
  notArrivedBy: string | null;
  /** Leaving within the window is told. */
  leftEarly: boolean;
}

export interface Fence extends FenceShape {
  fenceId: string;
  cid: string;
  name: string;
  notify: FenceNotifications;
  /** Seconds inside after which the child has dwelled. */
  dwell: number;
  windows: AttendanceWindow[];
  enabled: boolean;
  /** 1 for a new fence; rises with each change. */
  version: number;
}
