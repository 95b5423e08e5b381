import { describe, expect, test } from '@jest/globals';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import { QueryOutsideTransactionError } from '@family-watch/platform/database/transaction-context';
import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';
import { QueryFailedError } from 'typeorm';
import { app, unitOfWork, useCounterDatabase } from '../../support/counter-database.js';

const INSERT_SQL = prepared('INSERT INTO alpha.counter VALUES ($1, $2) RETURNING id, value');
const COUNT_SQL = prepared('SELECT count(*) AS value FROM alpha.counter WHERE id = $1');

describe('prepared statements', () => {
  useCounterDatabase();

  const count = async (id: string) => (await unitOfWork.executor.query<{ value: number }>(COUNT_SQL, [id]))[0]?.value;

  test('are part of the current transaction and rolled back with it', async () => {
    const failing = unitOfWork.run(async () => {
      expect(await unitOfWork.executor.query(INSERT_SQL, ['a', 7])).toEqual([{ id: 'a', value: 7 }]);
      expect(await count('a')).toBe(1);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await count('a')).toBe(0);
  });

  test('are committed one by one outside a transaction', async () => {
    await unitOfWork.executor.query(INSERT_SQL, ['b', 1]);
    expect(await count('b')).toBe(1);
  });

  test('are prepared once per connection', async () => {
    await unitOfWork.run(async () => {
      await count('c');
      await count('d');
      const plans = await unitOfWork.executor.query(
        'SELECT generic_plans + custom_plans AS runs FROM pg_prepared_statements WHERE statement = $1',
        [COUNT_SQL.sql],
      );
      expect(plans).toHaveLength(1);
    });
  });

  test('fail with the same errors as other statements', async () => {
    await expect(unitOfWork.executor.query(prepared('SELECT 1 / $1::int'), [0])).rejects.toBeInstanceOf(
      QueryFailedError,
    );
    const broken = unitOfWork.run(async () => {
      await unitOfWork.executor.query(prepared('SELECT pg_terminate_backend(pg_backend_pid())')).catch(() => undefined);
      // The statement must not run on another connection, which would commit it separately.
      await unitOfWork.executor.query(INSERT_SQL, ['e', 1]);
    });
    await expect(broken).rejects.toBeInstanceOf(DatabaseUnavailableError);
    expect(await count('e')).toBe(0);
  });

  test('are rejected inside a transaction of another unit of work', async () => {
    const otherUnitOfWork = new UnitOfWork(app.dataSource, 'alpha');
    await expect(unitOfWork.run(() => otherUnitOfWork.executor.query(COUNT_SQL, ['a']))).rejects.toBeInstanceOf(
      QueryOutsideTransactionError,
    );
  });
});
