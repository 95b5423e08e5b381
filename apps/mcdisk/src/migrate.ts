import 'reflect-metadata';
import { loadEnvironment } from '@family-watch/platform/config/load-environment';
import { migrateAppDatabase } from '@family-watch/platform/database/migrate';
import { runProcess } from '@family-watch/platform/process/run-process';
import { mcdiskDatabase } from './database/mcdisk-database.js';

/** Migrates the schema of mcdisk and exits. This program must run before the new version of the service starts. */
await runProcess(async () => {
  const environment = loadEnvironment(process.env, ['DATABASE_URL']);
  const executed = await migrateAppDatabase({
    ...mcdiskDatabase,
    url: environment.DATABASE_URL ?? '',
    migrationUrl: environment.MIGRATION_DATABASE_URL,
  });
  process.stdout.write(`${executed.length === 0 ? 'Nothing to migrate' : executed.join('\n')}\n`);
  process.exit(0);
});
