import { afterAll, beforeAll } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { openAppDatabase, type AppDatabase } from '@family-watch/platform/database/app-database';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { CreateCounters1767225600000 } from '../integration/database/counters.migration.js';

@Entity({ schema: 'alpha', name: 'counter' })
export class Counter {
  @PrimaryColumn('text')
  id: string;

  @Column('bigint')
  value: number;
}

type Limits = Parameters<typeof openAppDatabase>[0]['limits'];

/** The database of the running suite, with a table of counters; a process runs its suites one after another. */
export let database: TestDatabase;
/** Connection of the superuser. */
export let admin: Client;
export let app: AppDatabase;
export let unitOfWork: UnitOfWork;

/** Opens the database of the suite for another app. */
export const openCounterApp = (limits?: Limits, url = database.url): Promise<AppDatabase> =>
  openAppDatabase({ name: 'alpha', schema: 'alpha', url, entities: [Counter], ...(limits ? { limits } : {}) });

/**
 * Declares that the suite uses a database with counters.
 *
 * @param findUrl - returns the URL with which the app connects, by default that of the database
 */
export function useCounterDatabase(limits?: Limits, findUrl?: (databaseUrl: string) => Promise<string>): void {
  beforeAll(async () => {
    // Suites cause failures on purpose, which would fill the log.
    Logger.overrideLogger(false);
    database = await createTestDatabase({
      template: [{ name: 'alpha', schema: 'alpha', migrations: [CreateCounters1767225600000] }],
    });
    admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
    app = await openCounterApp(limits, await findUrl?.(database.url));
    unitOfWork = new UnitOfWork(app.dataSource, 'alpha');
  });
  afterAll(async () => {
    await app.close();
    await admin.end();
    await database.drop();
  });
}
