import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** External services that suites may use. */
export type BackingService = 'postgres' | 'nats';

/** Environment variable with the directory of a test run, which jest's main process passes to its workers. */
export const RUN_FOLDER_VARIABLE = 'FAMILY_WATCH_TEST_RUN_FOLDER';

/** Records that a suite has used a service, for the report of the run. Each suite calls this function once. */
export function markServiceUsed(service: BackingService): void {
  const directory = process.env[RUN_FOLDER_VARIABLE];
  if (directory) appendFileSync(join(directory, `used-${service}`), '.');
}

/** Returns how many times a service was used in this run. */
export function countServiceUse(service: BackingService): number {
  const directory = process.env[RUN_FOLDER_VARIABLE];
  const file = directory && join(directory, `used-${service}`);
  return file && existsSync(file) ? readFileSync(file).length : 0;
}
