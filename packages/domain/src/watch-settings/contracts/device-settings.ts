/** How often a watch looks for its position. FOLLOW: as often as it can, which empties the battery. */
export const LOCATION_MODE = { SAVE: 'SAVE', NORMAL: 'NORMAL', FOLLOW: 'FOLLOW' } as const;
export type LocationMode = (typeof LOCATION_MODE)[keyof typeof LOCATION_MODE];

/** For how long a mode can be set, seconds. */
export const LOCATION_MODE_LIFETIME = { MIN: 60, MAX: 86_400 } as const;

/** Longest text that a lost watch shows. */
export const MAX_LOST_MESSAGE = 200;

/** A mode that ends by itself: from `until` (Unix milliseconds) on the lasting one counts again. */
export interface TemporaryMode {
  mode: LocationMode;
  until: number;
}

export interface DeviceSettings {
  locationMode: LocationMode;
  temporaryMode: TemporaryMode | null;
  lost: boolean;
  /** What a lost watch shows to whoever finds it. */
  lostMessage: string | null;
}

export const DEFAULT_DEVICE_SETTINGS: Readonly<DeviceSettings> = {
  locationMode: LOCATION_MODE.NORMAL,
  temporaryMode: null,
  lost: false,
  lostMessage: null,
};
