import type { SchoolDay } from './school-day.js';

/** Something that happens on the day, and what the service promises of it. */
export interface Scene {
  expectation: string;
  /** Plays and checks it. @returns numbers worth telling. @throws Error saying what is missing */
  run: (day: SchoolDay) => Promise<string>;
}

/** Whether a promise was kept. */
export interface SceneResult {
  name: string;
  ok: boolean;
  /** Numbers, or what is missing. */
  detail: string;
}

/** Plays one scene after the other; one that fails hides none of the others. */
export async function runScenes(scenes: readonly Scene[], day: SchoolDay): Promise<SceneResult[]> {
  const proofs: SceneResult[] = [];
  for (const { expectation: name, run } of scenes) {
    try {
      proofs.push({ name, ok: true, detail: await run(day) });
    } catch (error) {
      proofs.push({ name, ok: false, detail: error instanceof Error ? error.message : String(error) });
    }
  }
  return proofs;
}

/** All promises as broken, for a day that did not get to its end. */
export function failAllScenes(scenes: readonly Scene[]): SceneResult[] {
  return scenes.map(({ expectation: name }) => ({ name, ok: false, detail: 'the demo did not get this far' }));
}

/** @throws Error with these words unless it holds */
export function assert(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}
