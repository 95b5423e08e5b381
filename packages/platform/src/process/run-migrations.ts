import { loadEnvironment } from '../config/load-environment.js';
import type { DatabaseDeclaration } from '../database/app-database.js';
import { migrateAppDatabase } from '../database/migrate.js';
import { exitProcess } from './exit-process.js';
import { runProcess } from './run-process.js';

/** Runs the pending migrations of an app and exits. Must run before a new version of the app starts. */
export async function runMigrations(database: DatabaseDeclaration): Promise<void> {
  await runProcess(async () => {
    const environment = loadEnvironment(process.env, ['DATABASE_URL']);
    const executed = await migrateAppDatabase({
      ...database,
      url: environment.DATABASE_URL ?? '',
      migrationUrl: environment.MIGRATION_DATABASE_URL,
    });
    process.stdout.write(`${executed.length === 0 ? 'Nothing to migrate' : executed.join('\n')}\n`);
    return exitProcess(0);
  });
}
