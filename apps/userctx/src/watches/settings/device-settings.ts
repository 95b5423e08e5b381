import {
  LOCATION_MODE,
  type LocationMode,
  type PermanentLocationMode,
} from '@family-watch/domain/watches/contracts/device-settings';
import type { SettingsStatusDto } from '@family-watch/domain/watches/dto/settings-status.dto';
import type { DeviceSettingsDto } from '@family-watch/domain/watches/dto/watch-settings.dto';

/** A location mode that ends at `until` (Unix milliseconds). The permanent mode applies after that. */
export interface TemporaryLocationMode {
  mode: LocationMode;
  until: number;
}

/** What guardians have set of a watch. */
export interface DeviceSettings extends Omit<
  DeviceSettingsDto,
  keyof SettingsStatusDto | 'locationMode' | 'locationModeUntil' | 'locationModeAfter'
> {
  locationMode: PermanentLocationMode;
  temporaryMode: TemporaryLocationMode | null;
  /**
   * End of live tracking in Unix milliseconds; null if it is not active. Until then the location mode is FOLLOW instead
   * of the mode that the guardians have set.
   */
  followUntil: number | null;
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
