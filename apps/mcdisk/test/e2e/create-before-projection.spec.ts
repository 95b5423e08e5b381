import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { withClient } from '@family-watch/testing/database/test-server';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyEventMonitor } from '../../src/contexts/clouds/family-event-monitor.js';
import type { CloudClient, ApiResponse } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { createUser } from '../support/family.js';

/** Number of concurrent requests: as many as the service has database connections. */
const REQUEST_COUNT = 10;

// Uses a separate server, because the suite counts the connections of the whole database.
describe('requests with an Idempotency-Key in a cloud whose family event has not been received yet', () => {
  let server: CloudServer;

  beforeAll(async () => {
    server = await CloudServer.start();
  });
  afterAll(() => server.stop());
  afterEach(() => void jest.restoreAllMocks());

  const once = (client: CloudClient, operation: string, body: object) =>
    client.post(operation, body, { 'idempotency-key': randomUUID() });

  test.each([
    ['createCloudDoc', { catalogName: 'x' }],
    ['createCloudPhoto', { photoName: 'x' }],
    ['createBatchOprTask', { taskType: 2, contentIDList: [randomUUID()] }],
    ['authorize', { userId: randomUUID(), contentIDList: [randomUUID()] }],
  ])('%s waits for the family event without occupying a database connection', async (operation, body) => {
    const familyEvents = server.get(FamilyEventMonitor);
    const wait = jest.spyOn(familyEvents, 'waitForNext');
    const client = await server.as(createUser());
    // The service's clock stops, so that the requests wait until the assertions have been made.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    let answered = 0;
    const waiting = Array.from({ length: REQUEST_COUNT }, async (): Promise<ApiResponse> => {
      const answer = await once(client, operation, { cloudID: randomUUID(), ...body });
      answered += 1;
      return answer;
    });
    await waitUntil('all requests to wait', () => familyEvents.waiterCount === REQUEST_COUNT || answered > 0);
    // A job may hold a connection for a moment. A request that holds one holds it until it is answered.
    await waitUntil('no idle transaction', async () => (await countIdleTransactions(server)) === 0 || answered > 0);
    expect(answered).toBe(0);
    expect(wait).toHaveBeenCalled();
    clock.mockRestore();
    for (const { body: refused } of await Promise.all(waiting)) expect(refused.reason).toBe('CLOUD_NOT_FOUND');
  });
});

/** Returns the number of database connections that are idle in a transaction. */
function countIdleTransactions(server: CloudServer): Promise<number> {
  return withClient(server.shared.databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle in transaction' AND pid <> pg_backend_pid()`,
    );
    return rows[0]?.count ?? 0;
  });
}
