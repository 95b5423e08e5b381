import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AccuracyTrial } from '../support/radio/accuracy-trial.js';
import type { Outcome } from '../support/radio/accuracy-trial.js';
import { readTracks, syntheticTrack } from '../support/radio/tracks.js';
import type { Track } from '../support/radio/tracks.js';

const ROOT = new URL('../../../../', import.meta.url).pathname;
/** Directory with GPX files of recorded tracks; configurable by the environment variable `TRACKS_DIR`. */
const TRACKS_DIRECTORY = resolve(ROOT, process.env['TRACKS_DIR'] ?? '../shared/data/tracks');

const REQUIRED_FRACTION = 0.9;
const SEEDS = [1, 2];

/**
 * Returns the share of locations whose circle contains the true location, and the median error and radius in metres.
 */
function summarize(outcomes: readonly (Outcome | null)[]) {
  const located = outcomes.filter((outcome) => outcome !== null);
  const middle = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
  return {
    points: outcomes.length,
    located: located.length / outcomes.length,
    inside: located.filter(({ error, radius }) => error <= radius).length / located.length,
    error: middle(located.map(({ error }) => error)),
    radius: middle(located.map(({ radius }) => radius)),
  };
}

function printSummary(name: string, { points, located, inside, error, radius }: ReturnType<typeof summarize>): void {
  const share = (value: number) => `${(100 * value).toFixed(1)} %`;
  process.stdout.write(
    `${name}: ${points} places, located ${share(located)}, inside the circle ${share(inside)}, ` +
      `median error ${error.toFixed(0)} m, median radius ${radius.toFixed(0)} m\n`,
  );
}

function testTrack(track: Track): void {
  const trials = SEEDS.map((seed) => new AccuracyTrial(track.points, seed));

  it('the estimated circle contains the true location in nine of ten cases when access points locate the device', () => {
    const outcomes = trials.flatMap((trial) => trial.run());
    const found = summarize(outcomes);
    printSummary(`${track.name}, access points`, found);
    expect(found.located).toBeGreaterThan(0.8);
    expect(found.inside).toBeGreaterThanOrEqual(REQUIRED_FRACTION);
    // The radius is limited, because a circle that contains everything would be useless.
    expect(found.radius).toBeLessThan(130);
    expect(found.error).toBeLessThan(50);
  });

  it('the estimated circle contains the true location in nine of ten cases when only cells locate the device', () => {
    const outcomes = trials.flatMap((trial) => trial.run((environment) => ({ ...environment, wifiAccessPoints: [] })));
    const found = summarize(outcomes);
    printSummary(`${track.name}, cells`, found);
    expect(found.located).toBeGreaterThan(0.8);
    expect(found.inside).toBeGreaterThanOrEqual(REQUIRED_FRACTION);
    expect(found.radius).toBeLessThan(5_000);
  });
}

describe('estimateLocation', () => {
  describe.each([11, 12].map((seed) => syntheticTrack(seed)))('on a $name', testTrack);

  if (existsSync(TRACKS_DIRECTORY)) {
    describe.each(readTracks(TRACKS_DIRECTORY))('on $name', testTrack);
  } else {
    describe.skip(`on recorded tracks: directory ${TRACKS_DIRECTORY} not found, skipped`, () => {
      it('the estimated circle contains the true location in nine of ten cases', () => undefined);
    });
  }
});
