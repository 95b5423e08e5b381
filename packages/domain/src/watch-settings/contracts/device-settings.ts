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

/** A location mode that ends at `until` (Unix milliseconds). The permanent mode applies after that. */
export interface TemporaryLocationMode {
  mode: LocationMode;
  until: number;
}

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

/** Times of day (`HH:MM`, in the child's time zone) at which a watch switches itself on and off each day. */
export interface PowerSchedule {
  on: string;
  off: string;
}

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

/**
 * What a guardian has set of a watch's sound, screen and times. A field that is null was not set, and the watch uses its
 * own default.
 */
export interface WatchPreferences {
  /** Per cent. */
  volume: number | null;
  ringMode: RingMode | null;
  /** Brightness of the screen, per cent. */
  brightness: number | null;
  /** Language of the menus, a BCP 47 tag such as `zh-CN`. */
  language: string | null;
  powerSchedule: PowerSchedule | null;
  locationSchedule: LocationModeRange[];
}

export interface DeviceSettings extends WatchPreferences {
  locationMode: PermanentLocationMode;
  temporaryMode: TemporaryLocationMode | null;
  /**
   * End of live tracking in Unix milliseconds; null if it is not active. Until then the location mode is FOLLOW instead
   * of the mode that the guardians have set.
   */
  followUntil: number | null;
  /** True if a guardian has reported the watch lost. */
  lost: boolean;
  /** Text that a lost watch shows to its finder. */
  lostMessage: string | null;
}

export const DEFAULT_DEVICE_SETTINGS: Readonly<DeviceSettings> = {
  locationMode: LOCATION_MODE.NORMAL,
  temporaryMode: null,
  followUntil: null,
  lost: false,
  lostMessage: null,
  volume: null,
  ringMode: null,
  brightness: null,
  language: null,
  powerSchedule: null,
  locationSchedule: [],
};

/**
 * The location mode at a given time, the time of its next change (`until`, Unix milliseconds) and the mode after this
 * change. `until` and `modeAfter` are null if the mode does not change.
 */
export interface EffectiveLocationMode {
  mode: LocationMode;
  until: number | null;
  modeAfter: LocationMode | null;
}

export function effectiveLocationModeAt(settings: Readonly<DeviceSettings>, time: number): EffectiveLocationMode {
  const { temporaryMode, followUntil } = settings;
  const ends = [temporaryMode?.until ?? 0, followUntil ?? 0].toSorted((a, b) => a - b);
  const mode = currentModeAt(settings, time);
  const until = ends.find((end) => end > time && currentModeAt(settings, end) !== mode) ?? null;
  return { mode, until, modeAfter: until === null ? null : currentModeAt(settings, until) };
}

function currentModeAt(settings: Readonly<DeviceSettings>, time: number): LocationMode {
  const { locationMode, temporaryMode, followUntil } = settings;
  if (followUntil !== null && followUntil > time) return LOCATION_MODE.FOLLOW;
  return temporaryMode && temporaryMode.until > time ? temporaryMode.mode : locationMode;
}
