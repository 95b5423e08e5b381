import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { deleteBatch, updateBatch } from '@family-watch/platform/database/entity-queries';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { Client } from 'pg';
import { LessThan } from 'typeorm';
import { admin, app, Counter, database, useCounterDatabase } from '../../support/counter-database.js';

let other: Client;

// jest calls hooks in the order of their declaration.
afterAll(() => other.end());
useCounterDatabase();
beforeAll(async () => {
  other = new Client({ connectionString: database.adminUrl });
  await other.connect();
});
beforeEach(async () => {
  await admin.query('TRUNCATE alpha.counter');
  await admin.query(`INSERT INTO alpha.counter SELECT 'c' || n, n FROM generate_series(1, 5) n`);
});
const counters = () => app.dataSource.getRepository(Counter);
const values = async (): Promise<number[]> => {
  const { rows } = await admin.query<{ value: number }>('SELECT value::int FROM alpha.counter ORDER BY value');
  return rows.map(({ value }) => value);
};

const waitForBlockedStatement = () =>
  waitUntil('a statement to wait for a lock', async () => {
    const { rowCount } = await admin.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rowCount === 1;
  });

/** Runs `batch` while another transaction has changed c1 and c2, commits that transaction, and returns the result. */
async function runDuringUpdate(change: string, batch: () => Promise<number>): Promise<number> {
  await other.query('BEGIN');
  await other.query(`UPDATE alpha.counter SET ${change} WHERE id IN ('c1', 'c2')`);
  const affected = batch();
  await waitForBlockedStatement();
  await other.query('COMMIT');
  return affected;
}

test('deleteBatch and updateBatch change at most the given number of rows', async () => {
  expect(await deleteBatch(counters(), { where: { value: LessThan(4) }, limit: 2 })).toBe(2);
  expect(await values()).toHaveLength(3);
  expect(await updateBatch(counters(), { where: {}, limit: 2 }, { value: 9 })).toBe(2);
  expect((await values()).filter((value) => value === 9)).toHaveLength(2);
});

test('deleteBatch and updateBatch change rows that another transaction is changing', async () => {
  const batch = { where: { value: LessThan(100) }, limit: 10 };
  expect(await runDuringUpdate('value = value + 10', () => deleteBatch(counters(), batch))).toBe(5);
  expect(await values()).toEqual([]);
  await admin.query(`INSERT INTO alpha.counter VALUES ('c1', 1), ('c2', 2)`);
  expect(await runDuringUpdate('value = value + 10', () => updateBatch(counters(), batch, { value: 0 }))).toBe(2);
  expect(await values()).toEqual([0, 0]);
});

test('deleteBatch keeps rows that no longer match after the change of another transaction', async () => {
  const batch = { where: { value: LessThan(100) }, limit: 10 };
  expect(await runDuringUpdate('value = 100', () => deleteBatch(counters(), batch))).toBe(3);
  expect(await values()).toEqual([100, 100]);
});
