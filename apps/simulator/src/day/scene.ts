import { ApiError } from '@family-watch/client';
import type { SchoolDay } from './school-day.js';

/** One step of the demo. */
export interface Scene {
  /** The guarantee of the service that the step checks, as a sentence. */
  expectation: string;
  /** Runs the step and checks the expectation. @returns details to print @throws Error if the expectation is not met */
  run: (day: SchoolDay) => Promise<string>;
}

/** The result of a scene, as in the JSON summary. */
export interface SceneResult {
  /** The expectation of the scene. */
  name: string;
  /** True if the expectation was met. */
  ok: boolean;
  /** Measured details, or the error message of a failed scene. */
  detail: string;
}

/** Runs the scenes in order. A failed scene does not stop the scenes after it. */
export async function runScenes(scenes: readonly Scene[], day: SchoolDay): Promise<SceneResult[]> {
  const results: SceneResult[] = [];
  for (const { expectation: name, run } of scenes) {
    try {
      results.push({ name, ok: true, detail: await run(day) });
    } catch (error) {
      results.push({ name, ok: false, detail: error instanceof Error ? error.message : String(error) });
    }
  }
  return results;
}

/** Returns every scene as failed, for a demo that could not start. */
export function failAllScenes(scenes: readonly Scene[]): SceneResult[] {
  return scenes.map(({ expectation: name }) => ({ name, ok: false, detail: 'the demo did not reach this scene' }));
}

/** Throws an error with this message when the condition is false. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/**
 * Returns the local time as `HH:MM`.
 *
 * @param time - Unix milliseconds
 * @param timeZone - name in the IANA time zone database
 */
export function wallClockTime(time: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
    time,
  );
}

/** Returns the reason of the service's error response, or `accepted` for a success. @throws other errors of `call` */
export async function errorReasonOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'accepted';
  } catch (error) {
    if (error instanceof ApiError) return error.reason;
    throw error;
  }
}
