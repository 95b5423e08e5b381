import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_DEVICE_SETTINGS, LOCATION_MODE, effectiveLocationModeAt } from './device-settings.js';
import type { DeviceSettings } from './device-settings.js';

const moments = fc.nat({ max: 12 });

const settings = fc.record({
  locationMode: fc.constantFrom('SAVE' as const, 'NORMAL' as const),
  temporaryMode: fc.option(fc.record({ mode: fc.constantFrom(...Object.values(LOCATION_MODE)), until: moments })),
  followUntil: fc.option(moments),
});

test('effectiveLocationModeAt returns the current mode, the time of its next change and the mode after it', () => {
  fc.assert(
    fc.property(settings, moments, (modes, now) => {
      const all: DeviceSettings = { ...DEFAULT_DEVICE_SETTINGS, ...modes };
      const { mode, until, modeAfter: after } = effectiveLocationModeAt(all, now);
      // Covers all times at which the generated settings can change.
      const later = Array.from({ length: 14 }, (_, step) => now + step).map((time) => [
        time,
        effectiveLocationModeAt(all, time).mode,
      ]);
      const [changeTime = null, next = null] = later.find(([, then]) => then !== mode) ?? [];
      expect([until, after]).toEqual([changeTime, next]);
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
