import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What the report of a run counts. A repetition is a request that a client sends again after a 503; `without <program>`
 * are declarations of suites that did not run without it.
 */
export type RunCounter = 'test-databases' | 'nats-suites' | 'repetitions' | `without ${string}`;

/** Environment variable with the directory of a test run, which jest's main process passes to its workers. */
export const RUN_FOLDER_VARIABLE = 'FAMILY_WATCH_TEST_RUN_FOLDER';

/** Increments a counter for the report of the run. */
export function countInRun(counter: RunCounter): void {
  const directory = process.env[RUN_FOLDER_VARIABLE];
  if (directory) appendFileSync(join(directory, `count-${counter}`), '.');
}

/** Returns the value of a counter in this run. */
export function readRunCounter(counter: RunCounter): number {
  const directory = process.env[RUN_FOLDER_VARIABLE];
  const file = directory && join(directory, `count-${counter}`);
  return file && existsSync(file) ? readFileSync(file).length : 0;
}
