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

test('a mode is told with the moment at which another one takes its place, and not an earlier one', () => {
  fc.assert(
    fc.property(settings, moments, (modes, now) => {
      const all: DeviceSettings = { ...DEFAULT_DEVICE_SETTINGS, ...modes };
      const { mode, until, after } = effectiveLocationModeAt(all, now);
      // Nothing happens after the last of these moments.
      const later = Array.from({ length: 14 }, (_, step) => now + step).map((time) => [
        time,
        effectiveLocationModeAt(all, time).mode,
      ]);
      const [changes = null, next = null] = later.find(([, then]) => then !== mode) ?? [];
      expect([until, after]).toEqual([changes, next]);
    }),
  );
});

test('FOLLOW never lasts', () => {
  fc.assert(
    fc.property(settings, (modes) => {
      expect(effectiveLocationModeAt({ ...DEFAULT_DEVICE_SETTINGS, ...modes }, 13).mode).not.toBe('FOLLOW');
    }),
  );
});
