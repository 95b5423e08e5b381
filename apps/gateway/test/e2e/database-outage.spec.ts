import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '@family-watch/testing/database/test-server';
import type { GatewayNode } from '../support/gateway-node.js';
import { familyOf, GatewayTestEnvironment, user, watch } from '../support/gateway-test-environment.js';

const NOTICES = 120;

let world: GatewayTestEnvironment;
let node: GatewayNode;

beforeAll(async () => {
  world = await GatewayTestEnvironment.start();
  node = await world.addNode();
});

afterAll(() => world.stop());

/** Ends every connection of the gateway in the middle of whatever it does. */
function breakConnections(): Promise<void> {
  return withClient(world.database.adminUrl, async (client) => {
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
      [world.database.name],
    );
  });
}

test('what was acknowledged while the database broke off again and again is delivered, once and in order', async () => {
  const [owner, wearer] = [user(), watch()];
  await world.familyChanged(familyOf(owner, [], wearer));
  const [guardian, sender] = await Promise.all([world.connect(node, owner), world.connect(node, wearer)]);
  const first = world.clock.now() - 1_000_000;
  const refusals = new Set<string>();
  /** Sends until it is acknowledged, as a watch does. */
  const send = async (index: number): Promise<string> => {
    for (;;) {
      const answer = await sender.send('WristwatchStartupNoticeMessage', { time: first + index, cause: 'USER' });
      if (answer.ok) return String(answer['id']);
      refusals.add(answer.reason);
      await sleep(50);
    }
  };
  const acknowledged: string[] = [];
  const sending = (async () => {
    for (let index = 0; index < NOTICES; index += 4) {
      acknowledged.push(...(await Promise.all([0, 1, 2, 3].map((offset) => send(index + offset)))));
    }
  })();
  let running = true;
  const breaking = (async () => {
    while (running) {
      await breakConnections();
      await sleep(60);
    }
  })();
  await sending;
  running = false;
  await breaking;
  await guardian.waitFor(() => guardian.durable.length >= NOTICES, 'all notices');
  // There were refusals, and none for another reason.
  expect([...refusals]).toEqual(['DATABASE_UNAVAILABLE']);
  expect(new Set(acknowledged).size).toBe(NOTICES);
  expect(guardian.durable.map(({ id }) => id).toSorted()).toEqual(acknowledged.toSorted());
  const firstSeq = guardian.durable[0]?.seq ?? 0;
  const numbers = Array.from({ length: NOTICES }, (_, index) => firstSeq + index);
  expect(guardian.durable.map(({ seq }) => seq)).toEqual(numbers);
  expect(guardian.problems).toEqual([]);
});
