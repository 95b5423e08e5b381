import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LOCATION_MODE } from '@family-watch/domain/watches/contracts/device-settings';
import { DEFAULT_DEVICE_SETTINGS, effectiveLocationModeAt, type DeviceSettings } from './device-settings.js';

/** Times as small integers, so that generated times often coincide. */
const times = fc.nat({ max: 12 });

const settings = fc.record({
  locationMode: fc.constantFrom('SAVE' as const, 'NORMAL' as const),
  temporaryMode: fc.option(fc.record({ mode: fc.constantFrom(...Object.values(LOCATION_MODE)), until: times })),
  followUntil: fc.option(times),
});

test('effectiveLocationModeAt returns the current mode, the time of its next change and the mode after it', () => {
  fc.assert(
    fc.property(settings, times, (modes, now) => {
      const deviceSettings: DeviceSettings = { ...DEFAULT_DEVICE_SETTINGS, ...modes };
      const { mode, until, modeAfter } = effectiveLocationModeAt(deviceSettings, now);
      // The generated settings change at times up to 12, all of which are within the next 14 times.
      const modesFromNow = Array.from({ length: 14 }, (_, step) => now + step).map((time) => [
        time,
        effectiveLocationModeAt(deviceSettings, time).mode,
      ]);
      const [changeTime = null, nextMode = null] = modesFromNow.find(([, one]) => one !== mode) ?? [];
      expect([until, modeAfter]).toEqual([changeTime, nextMode]);
    }),
  );
});

test('effectiveLocationModeAt never returns FOLLOW permanently', () => {
  fc.assert(
    fc.property(settings, (modes) => {
      expect(effectiveLocationModeAt({ ...DEFAULT_DEVICE_SETTINGS, ...modes }, 13).mode).not.toBe('FOLLOW');
    }),
  );
});
