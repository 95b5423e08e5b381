import { expect, test } from '@jest/globals';
import { DATABASE_NOW_MS_SUBQUERY } from '@family-watch/platform/database/database-clock';
import { createTestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';

test('a condition with the time of the database uses an index, and the time advances within a transaction', async () => {
  const database = await createTestDatabase();
  try {
    await withClient(database.adminUrl, async (client) => {
      await client.query('BEGIN');
      await client.query('CREATE TEMPORARY TABLE change (changed_at bigint PRIMARY KEY)');
      await client.query('INSERT INTO change SELECT generate_series(1, 10000)');
      const plan = await client.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT FROM change WHERE changed_at > ${DATABASE_NOW_MS_SUBQUERY} - 1000`,
      );
      expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('Index Cond');
      const readTime = async (): Promise<number> =>
        Number((await client.query<{ time: string }>(`SELECT ${DATABASE_NOW_MS_SUBQUERY} AS time`)).rows[0]?.time);
      const before = await readTime();
      await client.query('SELECT pg_sleep(0.01)');
      expect(await readTime()).toBeGreaterThan(before);
    });
  } finally {
    await database.drop();
  }
});
