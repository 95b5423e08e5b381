import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { openAppDatabase, type AppDatabase } from '@family-watch/platform/database/app-database';
import { DatabaseUnavailableError } from '@family-watch/platform/database/database-unavailable.error';
import { QueryOutsideTransactionError } from '@family-watch/platform/database/query-guard';
import { UnitOfWork, TransactionRolledBackError } from '@family-watch/platform/database/unit-of-work';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { CreateCounters1767225600000 } from './counters.migration.js';

@Entity({ schema: 'alpha', name: 'counter' })
class Counter {
  @PrimaryColumn('text')
  id: string;

  @Column('bigint')
  value: number;
}

class AlphaUnitOfWork extends UnitOfWork {}
class BetaUnitOfWork extends UnitOfWork {}

// The failures that these suites cause are expected, and so is what is logged about them.
Logger.overrideLogger(false);

describe('unit of work', () => {
  let database: TestDatabase;
  let admin: Client;
  let alpha: AppDatabase;
  let beta: AppDatabase;
  let unit: AlphaUnitOfWork;
  let other: BetaUnitOfWork;

  beforeAll(async () => {
    database = await createTestDatabase({
      template: [{ name: 'alpha', schema: 'alpha', migrations: [CreateCounters1767225600000] }],
    });
    admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
    alpha = await openAppDatabase({ name: 'alpha', schema: 'alpha', url: database.url, entities: [Counter] });
    beta = await openAppDatabase({ name: 'beta', schema: 'alpha', url: database.url, entities: [Counter] });
    unit = new AlphaUnitOfWork(alpha.dataSource, 'alpha');
    other = new BetaUnitOfWork(beta.dataSource, 'alpha');
  });

  beforeEach(async () => {
    await admin.query('TRUNCATE alpha.counter');
    await admin.query(`INSERT INTO alpha.counter VALUES ('a', 0), ('b', 0)`);
  });

  afterAll(async () => {
    await alpha.close();
    await beta.close();
    await admin.end();
    await database.drop();
  });

  async function value(id: string): Promise<number> {
    const { rows } = await admin.query<{ value: string }>('SELECT value FROM alpha.counter WHERE id = $1', [id]);
    return Number(rows[0]?.value);
  }

  async function add(id: string): Promise<void> {
    await unit.executor.query('UPDATE alpha.counter SET value = value + 1 WHERE id = $1', [id]);
  }

  it('commits entities and statements together, and gives back the result', async () => {
    const result = await unit.run(async () => {
      await unit.manager.update(Counter, 'a', { value: 7 });
      await add('b');
      expect(await value('a')).toBe(0);
      return 'done';
    });
    expect([result, await value('a'), await value('b')]).toEqual(['done', 7, 1]);
  });

  it('rolls everything back when its work throws, and passes the error on', async () => {
    const failing = unit.run(async () => {
      await add('a');
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect(await value('a')).toBe(0);
  });

  it('joins the open unit', async () => {
    const failing = unit.run(async () => {
      await unit.run(() => add('a'));
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect(await value('a')).toBe(0);
  });

  it('commits nothing when a joined part failed, even if its error was caught', async () => {
    const swallowing = unit.run(async () => {
      await add('a');
      await unit.run(() => Promise.reject(new Error('part'))).catch(() => undefined);
    });
    await expect(swallowing).rejects.toBeInstanceOf(TransactionRolledBackError);
    expect(await value('a')).toBe(0);
  });

  it('does not pass a rollback by the server off as a commit', async () => {
    const swallowing = unit.run(async () => {
      await add('a');
      await unit.executor.query('SELECT 1 / 0').catch(() => undefined);
    });
    await expect(swallowing).rejects.toBeInstanceOf(TransactionRolledBackError);
    expect(await value('a')).toBe(0);
  });

  it('is run again after a deadlock', async () => {
    let runs = 0;
    const crossing = (first: string, second: string): Promise<void> =>
      unit.run(async () => {
        runs += 1;
        await add(first);
        await sleep(100);
        await add(second);
      });
    await Promise.all([crossing('a', 'b'), crossing('b', 'a')]);
    expect(runs).toBeGreaterThan(2);
    expect([await value('a'), await value('b')]).toEqual([2, 2]);
  });

  it('gives up after six serialisation failures and calls no callback', async () => {
    let runs = 0;
    let called = false;
    const hopeless = unit.run(async () => {
      runs += 1;
      unit.afterCommit(() => (called = true));
      await unit.executor.query(`DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END $$`);
    });
    await expect(hopeless).rejects.toMatchObject({ driverError: { code: '40001' } });
    expect([runs, called]).toEqual([6, false]);
  });

  it('calls back after the commit, in order, outside the unit, and survives errors of callbacks', async () => {
    const calls: string[] = [];
    await unit.run(async () => {
      unit.afterCommit(() => calls.push(`first, open: ${unit.isOpen}`));
      unit.afterCommit(() => {
        throw new Error('a callback failed');
      });
      await unit.run(async () => unit.afterCommit(() => calls.push('second')));
      await add('a');
      calls.push('work');
    });
    expect(calls).toEqual(['work', 'first, open: false', 'second']);
    unit.afterCommit(() => calls.push('none open'));
    expect(calls.at(-1)).toBe('none open');
  });

  it('refuses queries around the open unit, on any database of the process', async () => {
    const attempts: (() => Promise<unknown>)[] = [
      () => alpha.dataSource.query('SELECT 1'),
      () => alpha.dataSource.getRepository(Counter).find(),
      () => alpha.dataSource.transaction(() => Promise.resolve()),
      () => beta.dataSource.manager.find(Counter),
      () => other.executor.query('SELECT 1'),
      () => other.run(() => Promise.resolve()),
    ];
    for (const attempt of attempts) {
      await expect(unit.run(attempt)).rejects.toBeInstanceOf(QueryOutsideTransactionError);
    }
    await expect(alpha.dataSource.query('SELECT 1')).resolves.toHaveLength(1);
  });

  it('refuses a query that the work did not wait for', async () => {
    let late: Promise<unknown> = Promise.resolve();
    await unit.run(async () => {
      const { manager } = unit;
      late = sleep(50).then(() => manager.query('SELECT 1'));
      await add('a');
    });
    await expect(late).rejects.toThrow();
    expect(await value('a')).toBe(1);
  });

  it('leaves no unit behind in what was started inside one', async () => {
    let later: Promise<unknown> = Promise.resolve();
    await unit.run(async () => {
      later = sleep(50).then(() => add('b'));
      await add('a');
    });
    await later;
    expect([await value('a'), await value('b')]).toEqual([1, 1]);
  });

  it('commits a separate unit although the open one is rolled back', async () => {
    const refused = unit.run(async () => {
      await add('a');
      await unit.runInNewTransaction(() => add('b'));
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect([await value('a'), await value('b')]).toEqual([0, 1]);
  });

  it('keeps units of parallel contexts apart', async () => {
    const pids = await Promise.all(
      [1, 2, 3].map(() =>
        unit.run(async () => {
          await sleep(20);
          const [row] = await unit.executor.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
          return row?.pid;
        }),
      ),
    );
    expect(new Set(pids).size).toBe(3);
  });

  it('returns the rows of UPDATE … RETURNING', async () => {
    const rows = await unit.executor.query(`UPDATE alpha.counter SET value = 5 WHERE id = 'a' RETURNING id, value`);
    expect(rows).toEqual([{ id: 'a', value: 5 }]);
  });

  it('reads 64-bit integers as numbers, and fails rather than rounds', async () => {
    await admin.query(`UPDATE alpha.counter SET value = 9007199254740991 WHERE id = 'a'`);
    expect((await unit.manager.findOneByOrFail(Counter, { id: 'a' })).value).toBe(Number.MAX_SAFE_INTEGER);
    await admin.query(`UPDATE alpha.counter SET value = 9007199254740992 WHERE id = 'a'`);
    await expect(unit.manager.findOneBy(Counter, { id: 'a' })).rejects.toThrow('not a safe number');
    expect(await unit.executor.query('SELECT ARRAY[1, NULL, 3]::bigint[] AS list')).toEqual([{ list: [1, null, 3] }]);
  });

  it('says that the database is unavailable when the connection is ended in a unit, and goes on after it', async () => {
    const ended = unit.run(async () => {
      const [row] = await unit.executor.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await admin.query('SELECT pg_terminate_backend($1)', [row?.pid]);
      await sleep(50);
      await add('a').catch(() => undefined);
    });
    await expect(ended).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await unit.run(() => add('a'));
    expect(await value('a')).toBe(1);
  });

  it('says that the database is unavailable when a lock is not given in time', async () => {
    const impatient = await openAppDatabase({
      name: 'impatient',
      schema: 'alpha',
      url: database.url,
      entities: [],
      limits: { lockMs: 100, poolSize: 1, connectMs: 200 },
    });
    const impatientUnit = new UnitOfWork(impatient.dataSource, 'alpha');
    await admin.query(`BEGIN; UPDATE alpha.counter SET value = 1 WHERE id = 'a'`);
    try {
      const locked = impatientUnit.run(() => impatientUnit.executor.query('UPDATE alpha.counter SET value = 2'));
      await expect(locked).rejects.toBeInstanceOf(DatabaseUnavailableError);
    } finally {
      await admin.query('ROLLBACK');
    }
    const exhausting = impatientUnit.run(() => impatientUnit.runInNewTransaction(() => Promise.resolve()));
    await expect(exhausting).rejects.toBeInstanceOf(DatabaseUnavailableError);
    await impatient.close();
  });
});
