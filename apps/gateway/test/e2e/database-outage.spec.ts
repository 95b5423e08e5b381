import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '@family-watch/testing/database/test-server';
import { familyOf, user, watch } from '../support/gateway-test-environment.js';
import { connect } from '../support/clients.js';
import { environment, startGateway } from '../support/suite-gateway.js';

const MIN_NOTICE_COUNT = 120;

startGateway({}, 1);

/** Terminates every database connection of the gateway. */
function breakConnections(): Promise<void> {
  return withClient(environment.database.adminUrl, async (client) => {
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
      [environment.database.name],
    );
  });
}

test('the gateway delivers every acknowledged message once and in order while database connections keep breaking', async () => {
  const [owner, watchPrincipal] = [user(), watch()];
  await environment.publishFamily(familyOf(owner, [], watchPrincipal));
  const [guardian, sender] = await Promise.all([connect(owner), connect(watchPrincipal)]);
  const startTime = environment.clock.now() - 1_000_000;
  const rejectionReasons = new Set<string>();
  /** Retries until the message is acknowledged, as a watch does. */
  const send = async (index: number): Promise<string> => {
    for (;;) {
      const response = await sender.send('WristwatchStartupNoticeMessage', { time: startTime + index, cause: 'USER' });
      if (response.ok) return String(response['id']);
      rejectionReasons.add(response.reason);
      await sleep(50);
    }
  };
  const acknowledged: string[] = [];
  const sendAll = (async () => {
    // Sends until the outage has rejected a message: a fast machine may send many messages between two outages.
    for (let index = 0; index < MIN_NOTICE_COUNT || rejectionReasons.size === 0; index += 4) {
      acknowledged.push(...(await Promise.all([0, 1, 2, 3].map((offset) => send(index + offset)))));
    }
  })();
  let isBreaking = true;
  const breaking = (async () => {
    while (isBreaking) {
      await breakConnections();
      await sleep(60);
    }
  })();
  await sendAll;
  isBreaking = false;
  await breaking;
  await guardian.waitFor(() => guardian.durable.length >= acknowledged.length, 'all notices');
  // All rejected requests were rejected because the database was unavailable.
  expect([...rejectionReasons]).toEqual(['DATABASE_UNAVAILABLE']);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  expect(guardian.durable.map(({ id }) => id).toSorted()).toEqual(acknowledged.toSorted());
  const firstSeq = guardian.durable[0]?.seq ?? 0;
  const expectedSeqs = Array.from({ length: acknowledged.length }, (_, index) => firstSeq + index);
  expect(guardian.durable.map(({ seq }) => seq)).toEqual(expectedSeqs);
  expect(guardian.problems).toEqual([]);
});
