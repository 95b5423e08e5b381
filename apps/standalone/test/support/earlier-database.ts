import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createTestDatabase, type TestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';

/**
 * Dump of the database of the last build before 1.0.0, which was killed while it had queued work. Of two families whose
 * children are friends, the first one has a child with an open SOS and a batch task that is not done. There are events
 * that were processed, that wait for their next attempt, that are dead letters, and that were never delivered.
 */
const DUMP = join(import.meta.dirname, '../fixtures/database-before-1.0.0.sql.gz');

/** What the database contains. */
export const EARLIER_DATABASE = {
  secretKey: 'fixture-of-a-database-of-an-earlier-build',
  ownerId: '0e6dd56f-a002-4f5c-b4c5-0e1bf87c0412',
} as const;

/** Returns a database of the last build before 1.0.0, as if the build had been killed now, an hour after its last event. */
export async function createEarlierDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await withClient(database.migrationUrl, async (client) => {
    await client.query(gunzipSync(readFileSync(DUMP)).toString());
    for (const schema of ['userctx', 'gateway', 'mcdisk']) await client.query(moveEventsToNow(schema));
  });
  return database;
}

/** Events and inbox rows are deleted after days, so the times of the dump become recent. */
function moveEventsToNow(schema: string): string {
  const movedEvent = `jsonb_set(event::jsonb, '{time}', to_jsonb(floor(extract(epoch FROM now()) * 1000)))::json`;
  return `
    UPDATE ${schema}.outbox SET time = floor(extract(epoch FROM now()) * 1000),
      confirmed_at = CASE WHEN confirmed_at IS NOT NULL THEN now() END;
    UPDATE ${schema}.inbox SET taken_at = now() - interval '1 hour';
    UPDATE ${schema}.parked SET event = ${movedEvent}, next_attempt_at = now();
    UPDATE ${schema}.dead_letter SET event = ${movedEvent}`;
}
