import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ConnectionRegistryService } from '../../src/connections/connection-registry.service.js';
import { connect, createFamily } from '../support/clients.js';
import { serviceOf, startGateway } from '../support/suite-gateway.js';
import { socketOf } from '../support/node-under-attack.js';

const MAX_BUFFERED_BYTES = 1_024 * 1_024;
/** Each point is rejected individually, which makes the response far longer than the request. */
const INVALID_POINTS = Array.from({ length: 100 }, () => 0);

startGateway({ RATE_LIMIT_EVENTS: 1_000 }, 1);

test('the gateway disconnects a client that does not read responses before 1 MiB is buffered', async () => {
  const fixture = await createFamily();
  const client = await connect(fixture.watchPrincipal);
  const [session] = serviceOf(ConnectionRegistryService).sessionsOf(`watch:${fixture.did}`);
  socketOf(client).pause();
  let maxBuffered = 0;
  await waitUntil(
    () => `the end of the connection, with ${maxBuffered} bytes buffered`,
    async () => {
      for (let event = 0; event < 50; event += 1)
        client.socket.emit('LocationPointChangeMessage', { points: INVALID_POINTS }, () => undefined);
      // Sends as many events per second as the rate limit allows.
      await sleep(50);
      maxBuffered = Math.max(maxBuffered, session?.channel.bufferedBytes ?? 0);
      return session?.connection.isClosed ?? false;
    },
  );
  expect(maxBuffered).toBeLessThan(MAX_BUFFERED_BYTES);
});
