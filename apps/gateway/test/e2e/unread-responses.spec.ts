import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ConnectionRegistryService } from '../../src/contexts/connections/connection-registry.service.js';
import type { GatewayNode } from '../support/gateway-node.js';
import { GatewayTestEnvironment } from '../support/gateway-test-environment.js';
import { FamilyFixture } from '../support/family-fixture.js';

const MAX_BUFFERED = 1_024 * 1_024;
/** Refused one by one, they make an answer far longer than the question. */
const POINTS = Array.from({ length: 100 }, () => 0);

let world: GatewayTestEnvironment;
let node: GatewayNode;

beforeAll(async () => {
  world = await GatewayTestEnvironment.start({ RATE_LIMIT_EVENTS: 1_000 });
  node = await world.addNode();
});

afterAll(() => world.stop());

function stopReading(client: TestClient): void {
  const { transport } = client.socket.io.engine as unknown as {
    transport: { ws: { _socket: { pause(): void } } };
  };
  transport.ws._socket.pause();
}

test('a client that asks and does not read the answers is disconnected before 1 MiB of them wait', async () => {
  const home = await FamilyFixture.in(world);
  const client = await world.connect(node, home.wearer);
  const [session] = node.app.get(ConnectionRegistryService, { strict: false }).sessionsOf(`watch:${home.did}`);
  stopReading(client);
  let most = 0;
  await waitUntil(
    () => `the end of the connection, at which ${most} bytes wait`,
    async () => {
      for (let event = 0; event < 50; event += 1)
        client.socket.emit('LocationPointChangeMessage', { points: POINTS }, () => undefined);
      // As many a second as its limit of events lets through.
      await sleep(50);
      most = Math.max(most, session?.channel.bufferedBytes ?? 0);
      return session?.connection.isClosed ?? false;
    },
  );
  expect(most).toBeLessThan(MAX_BUFFERED);
});
