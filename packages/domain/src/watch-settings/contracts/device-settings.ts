/** How often a watch looks for its position. FOLLOW: as often as it can, which empties the battery. */
export const LOCATION_MODE = { SAVE: 'SAVE', NORMAL: 'NORMAL', FOLLOW: 'FOLLOW' } as const;
export type LocationMode = (typeof LOCATION_MODE)[keyof typeof LOCATION_MODE];

/** For how long a mode can be set, seconds. */
export const LOCATION_MODE_TTL_SECONDS = { MIN: 60, MAX: 86_400 } as const;

/** How long FOLLOW lasts where nobody said it, seconds: it never lasts for good. */
export const LIVE_TRACKING_DEFAULT_TTL_SECONDS = 3_600;

/** A mode that can be the lasting one. */
export type PermanentLocationMode = Exclude<LocationMode, 'FOLLOW'>;

/** Longest text that a lost watch shows. */
export const MAX_LOST_MESSAGE_LENGTH = 200;

/** A mode that ends by itself: from `until` (Unix milliseconds) on the lasting one counts again. */
export interface TemporaryLocationMode {
  mode: LocationMode;
  until: number;
}

export interface DeviceSettings {
  locationMode: PermanentLocationMode;
  temporaryMode: TemporaryLocationMode | null;
  /** Until then (Unix milliseconds) the watch follows, whatever its parents have set. */
  followUntil: number | null;
  lost: boolean;
  /** What a lost watch shows to whoever finds it. */
  lostMessage: string | null;
}

export const DEFAULT_DEVICE_SETTINGS: Readonly<DeviceSettings> = {
  locationMode: LOCATION_MODE.NORMAL,
  temporaryMode: null,
  followUntil: null,
  lost: false,
  lostMessage: null,
};

/** The mode of a moment, when another one takes its place, and which. Times in Unix milliseconds. */
export interface EffectiveLocationMode {
  mode: LocationMode;
  until: number | null;
  after: LocationMode | null;
}

export function effectiveLocationModeAt(settings: Readonly<DeviceSettings>, time: number): EffectiveLocationMode {
  const { temporaryMode, followUntil } = settings;
  const ends = [temporaryMode?.until ?? 0, followUntil ?? 0].toSorted((a, b) => a - b);
  const mode = modeOf(settings, time);
  const until = ends.find((end) => end > time && modeOf(settings, end) !== mode) ?? null;
  return { mode, until, after: until === null ? null : modeOf(settings, until) };
}

function modeOf(settings: Readonly<DeviceSettings>, time: number): LocationMode {
  const { locationMode, temporaryMode, followUntil } = settings;
  if (followUntil !== null && followUntil > time) return LOCATION_MODE.FOLLOW;
  return temporaryMode && temporaryMode.until > time ? temporaryMode.mode : locationMode;
}
