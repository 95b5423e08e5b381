import { describe, expect, it } from '@jest/globals';
import { runScenes, failAllScenes } from './scene.js';
import type { Scene } from './scene.js';
import { SCENES } from './scenes.js';
import type { SchoolDay } from './school-day.js';

const DAY = {} as SchoolDay;

describe('runScenes', () => {
  it('runs the scenes after a failed scene and returns the error message of the failed scene', async () => {
    const played: string[] = [];
    const scene = (expectation: string, error?: Error): Scene => ({
      expectation,
      run: () => {
        played.push(expectation);
        return !error ? Promise.resolve('3 ms') : Promise.reject(error);
      },
    });
    const results = await runScenes([scene('one'), scene('two', new Error('no answer')), scene('three')], DAY);
    expect(played).toEqual(['one', 'two', 'three']);
    expect(results).toEqual([
      { name: 'one', ok: true, detail: '3 ms' },
      { name: 'two', ok: false, detail: 'no answer' },
      { name: 'three', ok: true, detail: '3 ms' },
    ]);
  });

  it('failAllScenes returns every scene as failed, each with a distinct name', () => {
    const names = failAllScenes(SCENES).map(({ name, ok }) => (ok ? 'kept' : name));
    expect(new Set(names).size).toBe(SCENES.length);
  });
});
