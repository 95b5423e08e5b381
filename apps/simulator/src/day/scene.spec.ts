import { describe, expect, test } from '@jest/globals';
import { SCENES } from './demo.js';
import { runScenes, failAllScenes, wallClockTime, type Scene } from './scene.js';
import type { SchoolDay } from './school-day.js';

const EMPTY_DAY = {} as SchoolDay;

describe('scenes of the demo', () => {
  test('runScenes runs the scenes after a failed scene and returns the error message of the failed scene', async () => {
    const runExpectations: string[] = [];
    const scene = (expectation: string, error?: Error): Scene => ({
      expectation,
      run: () => {
        runExpectations.push(expectation);
        return !error ? Promise.resolve('3 ms') : Promise.reject(error);
      },
    });
    const results = await runScenes([scene('one'), scene('two', new Error('no answer')), scene('three')], EMPTY_DAY);
    expect(runExpectations).toEqual(['one', 'two', 'three']);
    expect(results).toEqual([
      { name: 'one', ok: true, detail: '3 ms' },
      { name: 'two', ok: false, detail: 'no answer' },
      { name: 'three', ok: true, detail: '3 ms' },
    ]);
  });

  test('failAllScenes returns every scene as failed, each with a distinct name', () => {
    const names = failAllScenes(SCENES).map(({ name, ok }) => (ok ? 'met' : name));
    expect(new Set(names).size).toBe(SCENES.length);
  });
});

test.each([
  ['2026-03-06T00:00:00Z', 'UTC', '00:00'],
  ['2026-03-06T00:00:00Z', 'Asia/Shanghai', '08:00'],
  ['2026-03-06T18:34:59Z', 'Asia/Kolkata', '00:04'],
  ['2026-03-29T01:00:00Z', 'Europe/Berlin', '03:00'],
])('wallClockTime of %s in %s is %s', (time, timeZone, expected) => {
  expect(wallClockTime(Date.parse(time), timeZone)).toBe(expected);
});
