import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DeadLetterStore } from '@family-watch/event-bus/dead-letters';
import { gatewayDatabase } from '@family-watch/gateway/database/gateway-database';
import { mcdiskDatabase } from '@family-watch/mcdisk/database/mcdisk-database';
import type { TestDatabase } from '@family-watch/testing/database/test-database';
import { withClient } from '@family-watch/testing/database/test-server';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { userctxDatabase } from '@family-watch/userctx/database/userctx-database';
import { createEarlierDatabase, EARLIER_DATABASE } from '../support/earlier-database.js';
import { waitUntilEventsProcessed } from '../support/table-digests.js';
import { TestService } from '../support/test-service.js';

/** A handler and an event, from an inbox, a retry queue or the dead letters. */
interface Delivery {
  handler: string;
  eventId: string;
}

const DATABASES = [userctxDatabase, gatewayDatabase, mcdiskDatabase];
const { ownerId, secretKey } = EARLIER_DATABASE;

/* The suite starts its own service on the database of the last build before 1.0.0. */
describe('the database of the last build before 1.0.0, whose event stream was lost', () => {
  let database: TestDatabase;
  let service: TestService;
  /** The deliveries before the start, with the names that the handlers have now. */
  let accepted: Delivery[];
  let failed: Delivery[];
  let dead: Delivery[];
  let undeliveredIds: string[];

  beforeAll(async () => {
    database = await createEarlierDatabase();
    [accepted, failed, dead] = [
      await readDeliveries('inbox'),
      await readDeliveries('parked'),
      await readDeliveries('dead_letter'),
    ];
    undeliveredIds = (await query<{ id: string }>('SELECT id FROM userctx.outbox WHERE confirmed_at IS NULL')).map(
      ({ id }) => id,
    );
    for (const { schema } of DATABASES)
      await query(`UPDATE ${schema}.relay SET stream_identity = 'lost', stream_sequence = 1000`);
    service = await TestService.startOn(database, { SECRET_KEY: secretKey });
    await waitUntilEventsProcessed(service);
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const query = <Row extends object>(sql: string): Promise<Row[]> =>
    withClient(database.adminUrl, async (client) => (await client.query<Row>(sql)).rows);

  async function readDeliveries(table: string, condition = 'true'): Promise<Delivery[]> {
    const renamed = Object.assign({}, ...DATABASES.map(({ adoption }) => adoption?.renamedHandlers)) as Record<
      string,
      string
    >;
    const selects = DATABASES.map(
      ({ schema }) => `SELECT handler, event_id AS "eventId" FROM ${schema}.${table} WHERE ${condition}`,
    );
    const deliveries = await query<Delivery>(`${selects.join(' UNION ALL ')} ORDER BY 2, 1`);
    return deliveries.map(({ handler, eventId }) => ({ handler: renamed[handler] ?? handler, eventId }));
  }

  const isIn = (deliveries: readonly Delivery[], { handler, eventId }: Delivery): boolean =>
    deliveries.some((other) => other.handler === handler && other.eventId === eventId);

  test('contained processed, failed, dead and undelivered events', () => {
    expect(accepted.length).toBeGreaterThan(100);
    expect(failed.map(({ handler }) => handler)).toContain('gateway.message-center.notify-sos');
    expect(failed.map(({ handler }) => handler)).toContain('userctx.child-rules.refresh');
    expect(dead).toHaveLength(2);
    expect(undeliveredIds).toHaveLength(3);
  });

  test('publishes all events again, and no handler accepts an event that it has accepted before', async () => {
    expect(service.logs.filter((line) => line.includes('Event stream lost events, republishing'))).not.toEqual([]);
    const isNew = `taken_at > now() - interval '59 minutes'`;
    const repeated = (await readDeliveries('inbox', isNew)).filter((delivery) => isIn(accepted, delivery));
    expect(repeated).toEqual([]);
    const after = await readDeliveries('inbox');
    expect(accepted.filter((delivery) => !isIn(after, delivery))).toEqual([]);
  });

  test('handles the events that were never delivered', async () => {
    const after = await readDeliveries('inbox');
    for (const eventId of undeliveredIds)
      expect(after.filter((delivery) => delivery.eventId === eventId && !isIn(accepted, delivery))).not.toEqual([]);
  });

  test('handles the events that waited for another attempt, in their order', async () => {
    expect(await readDeliveries('parked')).toEqual([]);
    const messages = await query<{ type: string }>(
      `SELECT type FROM gateway.center_message WHERE user_id = '${ownerId}' AND category = 'SOS' ORDER BY time, type`,
    );
    expect(messages.map(({ type }) => type)).toEqual(['SOS_RAISED', 'SOS_RESOLVED']);
  });

  test('keeps the dead letters, which can be replayed', async () => {
    expect(await readDeliveries('dead_letter')).toEqual(dead);
    const executor = { query: (sql: string, parameters?: unknown[]) => service.query(sql, parameters) };
    const store = new DeadLetterStore({ schema: 'gateway', executor } as ConstructorParameters<
      typeof DeadLetterStore
    >[0]);
    for (const { id } of await store.list({ limit: 10 })) expect(await store.replay(id)).toBe(true);
    await waitUntil('the replayed events', async () => (await readDeliveries('parked')).length === 0);
    expect(await readDeliveries('dead_letter')).toEqual([]);
    const shares = await query(
      `SELECT FROM gateway.center_message WHERE user_id = '${ownerId}' AND type LIKE 'LOCATION_SHARE%'`,
    );
    expect(shares).toHaveLength(1);
  });

  test('finishes the batch task that had not begun', async () => {
    await waitUntil('the batch task', async () => {
      const [task] = await query<{ state: string }>('SELECT state FROM mcdisk.batch_task');
      return task?.state === 'DONE';
    });
    expect(await query(`SELECT FROM mcdisk.content WHERE state = 'RECYCLED'`)).toHaveLength(2);
  });
});
