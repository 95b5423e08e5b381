import 'reflect-metadata';
import { loadEnvironment } from '@family-watch/platform/config/load-environment';
import { migrateAppDatabase } from '@family-watch/platform/database/migrate';
import { runProcess } from '@family-watch/platform/process/run-process';
import { gatewayDatabase } from './database/gateway-database.js';

/** Runs the gateway's pending database migrations and exits; must run before the new version starts. */
await runProcess(async () => {
  const environment = loadEnvironment(process.env, ['DATABASE_URL']);
  const executed = await migrateAppDatabase({
    ...gatewayDatabase,
    url: environment.DATABASE_URL ?? '',
    migrationUrl: environment.MIGRATION_DATABASE_URL,
  });
  process.stdout.write(`${executed.length === 0 ? 'Nothing to migrate' : executed.join('\n')}\n`);
  process.exit(0);
});
