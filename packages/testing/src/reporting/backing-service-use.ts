import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Services that suites may run on. */
export type BackingService = 'postgres' | 'nats';

/** Folder of one run of the tests, shared by jest's process and its workers. */
export const RUN_FOLDER_VARIABLE = 'FAMILY_WATCH_TEST_RUN_FOLDER';

/** Notes, for the report at the end of the run, that a suite really used a service. Call it once per suite. */
export function markServiceUsed(service: BackingService): void {
  const folder = process.env[RUN_FOLDER_VARIABLE];
  if (folder) appendFileSync(join(folder, `used-${service}`), '.');
}

/** How many times a service was used in this run. */
export function countServiceUse(service: BackingService): number {
  const folder = process.env[RUN_FOLDER_VARIABLE];
  const file = folder && join(folder, `used-${service}`);
  return file && existsSync(file) ? readFileSync(file).length : 0;
}
