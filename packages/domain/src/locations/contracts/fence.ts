/** Types of fence events. */
export const FENCE_EVENT_TYPE = {
  ENTERED: 'ENTERED',
  LEFT: 'LEFT',
  /** The child has been inside for the fence's dwell time. */
  DWELLED: 'DWELLED',
  /** The child was not inside at the time by which an attendance window expects the child. */
  NOT_ARRIVED: 'NOT_ARRIVED',
  /** The child left during an attendance window. */
  LEFT_EARLY: 'LEFT_EARLY',
} as const;
export type FenceEventType = (typeof FENCE_EVENT_TYPE)[keyof typeof FENCE_EVENT_TYPE];

/**
 * Limits of a fence. `perChild`: fences per child. `radius` and `width` (also the height): metres. `area`: square
 * metres. `latitude`: degrees, which excludes fences near the poles. `dwell`: seconds. `windows`: attendance windows
 * per fence.
 */
export const FENCE_LIMITS = {
  perChild: 50,
  radius: { min: 50, max: 50_000 },
  corners: { min: 3, max: 100 },
  area: { min: 1_000 },
  width: { max: 100_000 },
  latitude: { max: 85 },
  dwell: { min: 60, max: 43_200, default: 600 },
  windows: 10,
} as const;

/** Coordinates in decimal degrees (WGS 84), as text. */
export interface GeoPoint {
  latitude: string;
  longitude: string;
}

/** A circular fence. `latitude` and `longitude`: its centre. `radius`: metres. */
export interface FenceCircle extends GeoPoint {
  radius: number;
}

/** A polygonal fence. `points`: its corners in order; the last corner is connected to the first. */
export interface FencePolygon {
  points: GeoPoint[];
}

/** Shape of a fence: exactly one of `circle` and `polygon` is set. */
export interface FenceShape {
  circle: FenceCircle | null;
  polygon: FencePolygon | null;
}

/** Whether the family is notified of each type of event. */
export interface FenceNotifications {
  entered: boolean;
  left: boolean;
  dwelled: boolean;
}

/**
 * When the child should be inside: from `from` to `to` (`HH:MM` in the child's time zone) on the given weekdays. A
 * window whose end is before its start crosses midnight and belongs to the day on which it starts.
 */
export interface AttendanceWindow {
  /** Weekdays, 1 Monday to 7 Sunday. */
  weekdays: number[];
  from: string;
  to: string;
  /** Dates (`YYYY-MM-DD`) on which the window does not start although the weekday matches. */
  skipDates: string[];
  /**
   * Time of day (`HH:MM`) within the window. NOT_ARRIVED is reported if the child is not inside the fence at this time.
   * `null`: NOT_ARRIVED is never reported.
   */
  notArrivedBy: string | null;
  /** True if LEFT_EARLY is reported when the child leaves within the window. */
  leftEarly: boolean;
}

/** Events that userctx publishes about fences. Key: `familyId`. */
export interface FenceEvents {
  /** A child crossed or dwelled in a fence, did not arrive, or left early. */
  'userctx.fence.triggered': {
    familyId: string;
    cid: string;
    did: number;
    fenceId: string;
    fenceEventId: string;
    type: FenceEventType;
    /** Time of the fix that caused the event, or the deadline of the attendance window. Unix milliseconds. */
    time: number;
    /** True if the event was detected long after its time. */
    late: boolean;
  };
}
