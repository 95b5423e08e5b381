/** How often a watch determines its location. FOLLOW means as often as the watch can, which drains the battery. */
export const LOCATION_MODE = { SAVE: 'SAVE', NORMAL: 'NORMAL', FOLLOW: 'FOLLOW' } as const;
export type LocationMode = (typeof LOCATION_MODE)[keyof typeof LOCATION_MODE];

/** Minimum and maximum duration of a temporary location mode, in seconds. */
export const LOCATION_MODE_TTL_SECONDS = { MIN: 60, MAX: 86_400 } as const;

/** Default duration of FOLLOW, in seconds; FOLLOW is never permanent. */
export const LIVE_TRACKING_DEFAULT_TTL_SECONDS = 3_600;

/** The location modes that can be permanent. */
export const PERMANENT_LOCATION_MODE = { SAVE: 'SAVE', NORMAL: 'NORMAL' } as const;
export type PermanentLocationMode = (typeof PERMANENT_LOCATION_MODE)[keyof typeof PERMANENT_LOCATION_MODE];

/** Maximum length of the text that a lost watch shows. */
export const MAX_LOST_MESSAGE_LENGTH = 200;

/** How a watch announces calls and messages. */
export const RING_MODE = {
  RING: 'RING',
  VIBRATE: 'VIBRATE',
  RING_AND_VIBRATE: 'RING_AND_VIBRATE',
  SILENT: 'SILENT',
} as const;
export type RingMode = (typeof RING_MODE)[keyof typeof RING_MODE];

/** Maximum number of ranges in the location schedule of a watch. */
export const MAX_LOCATION_RANGES = 10;

/**
 * A range of the week in which a watch uses another location mode than its permanent one. A range whose end is not after
 * its start ends on the next day. The weekdays (1 Monday to 7 Sunday) are those on which the range starts.
 */
export interface LocationModeRange {
  start: string;
  end: string;
  weekdays: number[];
  mode: PermanentLocationMode;
}
