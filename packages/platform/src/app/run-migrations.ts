import { setUpNats } from '@family-watch/event-bus/set-up-nats';
import { loadEnvironment } from '../config/load-environment.js';
import type { DatabaseDeclaration } from '../database/app-database.js';
import { migrateAppDatabase } from '../database/migrate.js';
import { exitProcess } from './exit-process.js';
import { runProcess } from './run-process.js';

/**
 * Runs the pending migrations of an app and exits. Must run before a new version of the app starts.
 *
 * @param setsUpNats - whether the program also creates the streams and consumers of all apps, if NATS_URL is set
 */
export async function runMigrations(
  database: DatabaseDeclaration,
  { setsUpNats = false }: { setsUpNats?: boolean } = {},
): Promise<void> {
  await runProcess(async () => {
    const environment = loadEnvironment(process.env, ['DATABASE_URL']);
    const executed = await migrateAppDatabase({
      ...database,
      url: environment.DATABASE_URL ?? '',
      migrationUrl: environment.MIGRATION_DATABASE_URL,
    });
    if (setsUpNats && environment.NATS_URL !== undefined)
      await setUpNats(environment.NATS_URL, environment.NATS_PREFIX);
    process.stdout.write(`${executed.length === 0 ? 'Nothing to migrate' : executed.join('\n')}\n`);
    return exitProcess(0);
  });
}
