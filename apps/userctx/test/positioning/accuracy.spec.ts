import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AccuracyTrial } from '../support/radio/accuracy-trial.js';
import type { Outcome } from '../support/radio/accuracy-trial.js';
import { readTracks, syntheticTrack } from '../support/radio/tracks.js';
import type { Track } from '../support/radio/tracks.js';

const ROOT = new URL('../../../../', import.meta.url).pathname;
/** GPX files of recorded tracks; `TRACKS_DIR` names another folder. */
const FOLDER = resolve(ROOT, process.env['TRACKS_DIR'] ?? '../shared/data/tracks');

const WANTED_SHARE = 0.9;
const SEEDS = [1, 2];

/** How often the circle held the truth, and how good it was. Metres. */
function summary(outcomes: readonly (Outcome | null)[]) {
  const answered = outcomes.filter((outcome) => outcome !== null);
  const middle = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
  return {
    places: outcomes.length,
    answered: answered.length / outcomes.length,
    held: answered.filter(({ error, radius }) => error <= radius).length / answered.length,
    error: middle(answered.map(({ error }) => error)),
    radius: middle(answered.map(({ radius }) => radius)),
  };
}

function report(name: string, { places, answered, held, error, radius }: ReturnType<typeof summary>): void {
  const share = (value: number) => `${(100 * value).toFixed(1)} %`;
  process.stdout.write(
    `${name}: ${places} places, located ${share(answered)}, held by the circle ${share(held)}, ` +
      `median error ${error.toFixed(0)} m, median radius ${radius.toFixed(0)} m\n`,
  );
}

function holdsOn(track: Track): void {
  const trials = SEEDS.map((seed) => new AccuracyTrial(track.places, seed));

  it('by access points', () => {
    const outcomes = trials.flatMap((trial) => trial.run());
    const found = summary(outcomes);
    report(`${track.name}, access points`, found);
    expect(found.answered).toBeGreaterThan(0.8);
    expect(found.held).toBeGreaterThanOrEqual(WANTED_SHARE);
    // A circle that holds everything says nothing.
    expect(found.radius).toBeLessThan(130);
    expect(found.error).toBeLessThan(50);
  });

  it('by cells alone', () => {
    const outcomes = trials.flatMap((trial) => trial.run((heard) => ({ ...heard, wifiAccessPoints: [] })));
    const found = summary(outcomes);
    report(`${track.name}, cells`, found);
    expect(found.answered).toBeGreaterThan(0.8);
    expect(found.held).toBeGreaterThanOrEqual(WANTED_SHARE);
    expect(found.radius).toBeLessThan(5_000);
  });
}

describe('the circle holds the truth in nine of ten cases', () => {
  describe.each([11, 12].map((seed) => syntheticTrack(seed)))('on a $name', holdsOn);

  if (existsSync(FOLDER)) {
    describe.each(readTracks(FOLDER))('on $name', holdsOn);
  } else {
    describe.skip(`on recorded tracks: no folder ${FOLDER}, not run`, () => {
      it('the same suite', () => undefined);
    });
  }
});
