import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { chooseNotes, chooseRelease, findMinimumVersions } from './release-choice.js';

const release = (version: string, more: { percentage?: number; minimumVersion?: string; channel?: string } = {}) => ({
  platform: 'ANDROID' as const,
  channel: 'stable',
  version,
  percentage: 100,
  minimumVersion: null,
  ...more,
});
const installation = (version: string, installationId = 'installation') => ({
  platform: 'ANDROID' as const,
  channel: 'stable',
  version,
  installationId,
});

describe('chooseRelease', () => {
  test('returns the newest release by SemVer, of the same channel, that is newer than the app', () => {
    const offered = [
      release('1.9.0'),
      release('1.10.0'),
      release('1.10.0-rc.1'),
      release('2.0.0', { channel: 'beta' }),
    ];
    expect(chooseRelease(offered, installation('1.9.0'), undefined)?.version).toBe('1.10.0');
    expect(chooseRelease(offered, installation('1.10.0-beta.2'), undefined)?.version).toBe('1.10.0');
    expect(chooseRelease(offered, installation('1.10.0'), undefined)).toBeUndefined();
    expect(chooseRelease(offered, { ...installation('1.0.0'), platform: 'IOS' }, undefined)).toBeUndefined();
  });

  test('offers a release to all installations of a lower percentage when the percentage rises', () => {
    const percentage = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(fc.uuid(), percentage, percentage, (id, one, other) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        const isOffered = (value: number) =>
          chooseRelease([release('2.0.0', { percentage: value })], installation('1.0.0', id), undefined) !== undefined;
        expect(isOffered(0)).toBe(false);
        expect(isOffered(100)).toBe(true);
        if (isOffered(low)) expect(isOffered(high)).toBe(true);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test('offers a release to about its percentage of the installations, and each release to others', () => {
    const ids = Array.from({ length: 2_000 }, (_, index) => `installation-${index}`);
    const chosen = (version: string) =>
      ids.filter((id) => chooseRelease([release(version, { percentage: 20 })], installation('1.0.0', id), undefined));
    const [first, second] = [chosen('2.0.0'), chosen('2.1.0')];
    expect(first.length).toBeGreaterThan(300);
    expect(first.length).toBeLessThan(500);
    expect(first.filter((id) => second.includes(id)).length).toBeLessThan(150);
  });

  test('an app below the minimum gets a supported release, also one that is not yet offered to it', () => {
    const offered = [release('1.5.0'), release('3.0.0', { percentage: 0, minimumVersion: '2.0.0' })];
    expect(chooseRelease(offered, installation('1.0.0'), '2.0.0')?.version).toBe('3.0.0');
    expect(chooseRelease([...offered, release('2.0.0')], installation('1.0.0'), '2.0.0')?.version).toBe('2.0.0');
    expect(chooseRelease(offered, installation('2.0.0'), '2.0.0')).toBeUndefined();
  });
});

test('the highest minimum version of a channel applies', () => {
  const offered = [
    release('3.0.0', { minimumVersion: '1.9.0' }),
    release('2.0.0', { minimumVersion: '1.10.0' }),
    release('1.0.0'),
    release('1.0.0', { channel: 'beta', minimumVersion: '1.0.0' }),
  ];
  expect(findMinimumVersions(offered)).toEqual([
    { platform: 'ANDROID', channel: 'stable', version: '1.10.0' },
    { platform: 'ANDROID', channel: 'beta', version: '1.0.0' },
  ]);
});

test.each([
  [{ en: 'E', 'zh-CN': 'C' }, 'zh-cn', 'C'],
  [{ en: 'E', zh: 'Z' }, 'zh-CN', 'Z'],
  [{ en: 'E', 'zh-TW': 'T' }, 'zh-CN', 'T'],
  [{ de: 'D', 'en-GB': 'E' }, 'fr', 'E'],
  [{ de: 'D' }, 'fr', 'D'],
  [{ de: 'D' }, undefined, 'D'],
])('of the notes %j, those for %s are %s', (notes, language, expected) => {
  expect(chooseNotes(notes, language)).toBe(expected);
});
