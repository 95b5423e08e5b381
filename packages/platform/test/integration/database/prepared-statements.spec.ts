import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { openAppDatabase, type AppDatabase } from '@family-watch/platform/database/app-database';
import { DatabaseUnavailableError } from '@family-watch/platform/database/database-unavailable.error';
import { QueryOutsideTransactionError } from '@family-watch/platform/database/query-guard';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { QueryFailedError } from 'typeorm';
import { CreateCounters1767225600000 } from './counters.migration.js';

const ADD = 'INSERT INTO alpha.counter VALUES ($1, $2) RETURNING id, value';
const COUNT = 'SELECT count(*) AS value FROM alpha.counter WHERE id = $1';

// The failures that these suites cause are expected, and so is what is logged about them.
Logger.overrideLogger(false);

describe('prepared statements', () => {
  let database: TestDatabase;
  let alpha: AppDatabase;
  let unit: UnitOfWork;

  beforeAll(async () => {
    database = await createTestDatabase({
      template: [{ name: 'alpha', schema: 'alpha', migrations: [CreateCounters1767225600000] }],
    });
    alpha = await openAppDatabase({ name: 'alpha', schema: 'alpha', url: database.url, entities: [] });
    unit = new UnitOfWork(alpha.dataSource, 'alpha');
  });

  afterAll(async () => {
    await alpha.close();
    await database.drop();
  });

  const count = async (id: string) => (await unit.prepared.query<{ value: number }>(COUNT, [id]))[0]?.value;

  it('belong to the open unit, and are rolled back with it', async () => {
    const failing = unit.run(async () => {
      expect(await unit.prepared.query(ADD, ['a', 7])).toEqual([{ id: 'a', value: 7 }]);
      expect(await count('a')).toBe(1);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await count('a')).toBe(0);
  });

  it('are committed one by one while no unit is open', async () => {
    await unit.prepared.query(ADD, ['b', 1]);
    expect(await count('b')).toBe(1);
  });

  it('are planned once by a connection', async () => {
    await unit.run(async () => {
      await count('c');
      await count('d');
      const prepared = await unit.executor.query(
        'SELECT generic_plans + custom_plans AS runs FROM pg_prepared_statements WHERE statement = $1',
        [COUNT],
      );
      expect(prepared).toHaveLength(1);
    });
  });

  it('fail as other statements do', async () => {
    await expect(unit.prepared.query('SELECT 1 / $1::int', [0])).rejects.toBeInstanceOf(QueryFailedError);
    const broken = unit.run(async () => {
      await unit.prepared.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
      // Not on another connection, where it would be committed by itself.
      await unit.prepared.query(ADD, ['e', 1]);
    });
    await expect(broken).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(await count('e')).toBe(0);
  });

  it('are refused outside the unit that they are written in', async () => {
    const beside = new UnitOfWork(alpha.dataSource, 'alpha');
    await expect(unit.run(() => beside.prepared.query(COUNT, ['a']))).rejects.toBeInstanceOf(
      QueryOutsideTransactionError,
    );
  });
});
