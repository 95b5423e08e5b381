import { describe, expect, it } from '@jest/globals';
import { runScenes, failAllScenes } from './scene.js';
import type { Scene } from './scene.js';
import { SCENES } from './scenes.js';
import type { SchoolDay } from './school-day.js';

const DAY = {} as SchoolDay;

describe('a day of scenes', () => {
  it('goes on after a scene that fails, and says what is missing', async () => {
    const played: string[] = [];
    const scene = (expectation: string, error?: Error): Scene => ({
      expectation,
      run: () => {
        played.push(expectation);
        return !error ? Promise.resolve('3 ms') : Promise.reject(error);
      },
    });
    const proofs = await runScenes([scene('one'), scene('two', new Error('no answer')), scene('three')], DAY);
    expect(played).toEqual(['one', 'two', 'three']);
    expect(proofs).toEqual([
      { name: 'one', ok: true, detail: '3 ms' },
      { name: 'two', ok: false, detail: 'no answer' },
      { name: 'three', ok: true, detail: '3 ms' },
    ]);
  });

  it('that does not come to pass keeps no promise, each of which has a name of its own', () => {
    const names = failAllScenes(SCENES).map(({ name, ok }) => (ok ? 'kept' : name));
    expect(new Set(names).size).toBe(SCENES.length);
  });
});
