import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import { DatabaseProxy } from '../../support/database-proxy.js';
import { admin, unitOfWork, useCounterDatabase } from '../../support/counter-database.js';

let proxy: DatabaseProxy;
/** If true, the proxy makes every BEGIN fail without closing the connection, like a cancelled BEGIN. */
let shouldFailBegin = false;

useCounterDatabase({ poolSize: 2 }, async (databaseUrl) => {
  proxy = await DatabaseProxy.start(databaseUrl);
  proxy.change = (data) => {
    if (!shouldFailBegin) return data;
    return Buffer.from(data.toString('latin1').replace('START TRANSACTION', 'START TRANSACTIOX'), 'latin1');
  };
  return proxy.url;
});

beforeAll(async () => {
  await admin.query(`
    CREATE FUNCTION alpha.collide(collides boolean) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN IF collides THEN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END IF; END $$;
    GRANT EXECUTE ON FUNCTION alpha.collide TO PUBLIC`);
});

beforeEach(async () => {
  await admin.query(`TRUNCATE alpha.counter; INSERT INTO alpha.counter VALUES ('a', 0), ('b', 0)`);
});

afterEach(() => {
  shouldFailBegin = false;
});

afterAll(() => proxy.close());

async function readCounters(): Promise<number[]> {
  const { rows } = await admin.query<{ value: string }>('SELECT value FROM alpha.counter ORDER BY id');
  return rows.map(({ value }) => Number(value));
}

async function incrementCounter(id: string): Promise<void> {
  await unitOfWork.executor.query(prepared('UPDATE alpha.counter SET value = value + 1 WHERE id = $1'), [id]);
}

type Query = (sql: string, parameters: unknown[]) => Promise<unknown>;
const queryPrepared: Query = (sql, parameters) => unitOfWork.executor.query(prepared(sql), parameters);
const queryThroughTypeOrm: Query = (sql, parameters) => unitOfWork.manager.query(sql, parameters);

describe('pipelined statements', () => {
  test('are all rolled back when one statement fails, or when the work throws while they are in progress', async () => {
    await expect(unitOfWork.run(() => Promise.all([failStatement(), incrementCounter('a')]))).rejects.toThrow();
    await expect(unitOfWork.run(() => Promise.all([incrementCounter('a'), failStatement()]))).rejects.toThrow();
    const failing = unitOfWork.run(async () => {
      void Promise.allSettled([incrementCounter('a'), incrementCounter('b')]);
      throw new Error('work failed');
    });
    await expect(failing).rejects.toThrow('work failed');
    expect(await readCounters()).toEqual([0, 0]);
  });

  test.each([
    ['prepared statement', queryPrepared],
    ['statement of TypeORM', queryThroughTypeOrm],
  ])('are retried after a deadlock of a %s, also when another statement rejects first', async (_, query) => {
    for (let round = 1; round <= 20; round += 1) {
      let runs = 0;
      await unitOfWork.run(async () => {
        runs += 1;
        // The rejection of the first statement reaches `Promise.all` after that of the second.
        const first = (async () => {
          await (async () => query('SELECT alpha.collide($1)', [runs === 1]))();
        })();
        await Promise.all([first, incrementCounter('a')]);
      });
      expect(runs).toBe(2);
      expect(await readCounters()).toEqual([round, 0]);
    }
  });
});

describe('a transaction whose BEGIN fails', () => {
  beforeEach(() => {
    shouldFailBegin = true;
  });

  test.each([
    ['write', () => incrementCounter('a')],
    ['write through TypeORM', () => unitOfWork.manager.query(`UPDATE alpha.counter SET value = 1`)],
    [
      'write concurrent with reads',
      () => Promise.all([unitOfWork.executor.query(prepared('SELECT 1')), incrementCounter('a'), readCounter()]),
    ],
    ['write after a read', () => readCounter().then(() => incrementCounter('a'))],
    ['empty transaction', async () => undefined],
  ])('writes nothing and discards its connection, for the case: %s', async (_, work) => {
    await expect(unitOfWork.run<unknown>(work)).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(await readCounters()).toEqual([0, 0]);
    shouldFailBegin = false;
    await unitOfWork.run(() => incrementCounter('a'));
    expect(await readCounters()).toEqual([1, 0]);
  });
});

async function readCounter(): Promise<void> {
  await unitOfWork.executor.query('SELECT 2');
}

async function failStatement(): Promise<void> {
  await unitOfWork.executor.query(prepared('SELECT 1 / $1::int'), [0]);
}
