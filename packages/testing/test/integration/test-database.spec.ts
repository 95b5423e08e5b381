import { expect, test } from '@jest/globals';
import { Pool } from 'pg';
import { createTestDatabase } from '@family-watch/testing/database/test-database';

test('connections of a pool that has ended are closed before the database is dropped', async () => {
  const errors: Error[] = [];
  for (let run = 0; run < 5; run += 1) {
    const database = await createTestDatabase();
    const pool = new Pool({ connectionString: database.adminUrl, max: 20 });
    pool.on('error', (error) => errors.push(error));
    await Promise.all(Array.from({ length: 20 }, () => pool.query('SELECT pg_sleep(0.01)')));
    await pool.end();
    await database.drop();
  }
  expect(errors).toEqual([]);
});

test('a database with a connection that stays open is dropped', async () => {
  const database = await createTestDatabase();
  const pool = new Pool({ connectionString: database.adminUrl });
  pool.on('error', () => undefined);
  await pool.query('SELECT 1');
  await database.drop();
  await expect(pool.query('SELECT 1')).rejects.toThrow();
  await pool.end();
});
