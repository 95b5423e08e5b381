/** How often a watch determines its location. FOLLOW means as often as the watch can, which drains the battery. */
export const LOCATION_MODE = { SAVE: 'SAVE', NORMAL: 'NORMAL', FOLLOW: 'FOLLOW' } as const;
export type LocationMode = (typeof LOCATION_MODE)[keyof typeof LOCATION_MODE];

/** Minimum and maximum duration of a temporary location mode, in seconds. */
export const LOCATION_MODE_TTL_SECONDS = { MIN: 60, MAX: 86_400 } as const;

/** Default duration of FOLLOW, in seconds; FOLLOW is never permanent. */
export const LIVE_TRACKING_DEFAULT_TTL_SECONDS = 3_600;

/** A location mode that can be permanent. */
export type PermanentLocationMode = Exclude<LocationMode, 'FOLLOW'>;

/** Maximum length of the text that a lost watch shows. */
export const MAX_LOST_MESSAGE_LENGTH = 200;

/** A location mode that ends at `until` (Unix milliseconds). The permanent mode applies after that. */
export interface TemporaryLocationMode {
  mode: LocationMode;
  until: number;
}

export interface DeviceSettings {
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
