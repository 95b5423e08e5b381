import { describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AccuracyTrial, type EstimateResult } from '../support/radio/accuracy-trial.js';
import { readTracks, createSyntheticTrack, type Track } from '../support/radio/tracks.js';

const ROOT = new URL('../../../../', import.meta.url).pathname;
/** Directory with GPX files of recorded tracks; configurable by the environment variable `TRACKS_DIR`. */
const TRACKS_DIRECTORY = resolve(ROOT, process.env['TRACKS_DIR'] ?? '../shared/data/tracks');

const REQUIRED_FRACTION = 0.9;
const SEEDS = [1, 2];

/**
 * Returns the fraction of `results` with an estimated location (`located`), the fraction of these whose circle contains
 * the true location (`inside`), and the median error and radius in metres.
 */
function summarize(results: readonly (EstimateResult | null)[]) {
  const located = results.filter((result) => result !== null);
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
  return {
    points: results.length,
    located: located.length / results.length,
    inside: located.filter(({ error, radius }) => error <= radius).length / located.length,
    error: median(located.map(({ error }) => error)),
    radius: median(located.map(({ radius }) => radius)),
  };
}

function printSummary(name: string, { points, located, inside, error, radius }: ReturnType<typeof summarize>): void {
  const formatPercent = (value: number) => `${(100 * value).toFixed(1)} %`;
  process.stdout.write(
    `${name}: ${points} places, located ${formatPercent(located)}, inside the circle ${formatPercent(inside)}, ` +
      `median error ${error.toFixed(0)} m, median radius ${radius.toFixed(0)} m\n`,
  );
}

function testTrack(track: Track): void {
  const trials = SEEDS.map((seed) => new AccuracyTrial(track.points, seed));

  test('returns a circle that contains the true location in nine of ten cases when access points are observed', () => {
    const summary = summarize(trials.flatMap((trial) => trial.run()));
    printSummary(`${track.name}, access points`, summary);
    expect(summary.located).toBeGreaterThan(0.8);
    expect(summary.inside).toBeGreaterThanOrEqual(REQUIRED_FRACTION);
    // The median radius is limited, because a huge circle would always contain the true location.
    expect(summary.radius).toBeLessThan(130);
    expect(summary.error).toBeLessThan(50);
  });

  test('returns a circle that contains the true location in nine of ten cases when only cells are observed', () => {
    const results = trials.flatMap((trial) => trial.run((environment) => ({ ...environment, wifiAccessPoints: [] })));
    const summary = summarize(results);
    printSummary(`${track.name}, cells`, summary);
    expect(summary.located).toBeGreaterThan(0.8);
    expect(summary.inside).toBeGreaterThanOrEqual(REQUIRED_FRACTION);
    expect(summary.radius).toBeLessThan(5_000);
  });
}

describe('estimateLocation', () => {
  describe.each([11, 12].map((seed) => createSyntheticTrack(seed)))('on a $name', testTrack);

  // Recorded tracks are not part of the sources.
  if (existsSync(TRACKS_DIRECTORY)) describe.each(readTracks(TRACKS_DIRECTORY))('on $name', testTrack);
});
