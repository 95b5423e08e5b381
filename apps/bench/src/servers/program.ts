import { fileURLToPath } from 'node:url';
import type { AppName } from '@family-watch/platform/http/route-table';
import { ServerProcess } from './server-process.js';

/** Returns the path of a built program of the service. */
export function resolveProgram(specifier: string): string {
  return fileURLToPath(import.meta.resolve(specifier));
}

/** Runs an app's migrations and waits until they are complete. @throws Error when a migration fails */
export async function migrate(app: AppName, databaseUrl: string): Promise<void> {
  const migration = await ServerProcess.start({
    name: `migrate ${app}`,
    command: process.execPath,
    args: [resolveProgram(`@family-watch/${app}/migrate`)],
    env: { ...process.env, DATABASE_URL: databaseUrl, MIGRATION_DATABASE_URL: '' },
  });
  await migration.waitForExit();
}
