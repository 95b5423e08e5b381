import { beforeAll, describe, expect, test } from '@jest/globals';
import { EventConsumer } from '@family-watch/event-bus/event-consumer';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ConnectionRegistryService } from '../../src/connections/connection-registry.service.js';
import { waitForKind } from '../support/family-fixture.js';
import { connect, createFamily } from '../support/clients.js';
import { environment, serviceOf, startGateway } from '../support/suite-gateway.js';

startGateway();
beforeAll(async () => {
  // The first node handles no events, so it must find messages that the other node stores.
  await serviceOf(EventConsumer).stop();
  // Closing the pub/sub loses all further messages, as when the connection to the bus is down.
  await environment.pubSub.close();
});

describe('while pub/sub messages are lost', () => {
  test('the mailbox sweep delivers stored messages', async () => {
    const fixture = await createFamily();
    const client = await connect(fixture.owner);
    await fixture.publish('userctx.watch.bound', { by: 'user:x', time: 1 });
    expect(client.durable).toEqual([]);
    await serviceOf(ConnectionRegistryService).sweepMailboxes();
    await waitForKind(client, 'DeviceBindStateChangeNoticeMessage');
  });

  test('an unbound watch is rejected', async () => {
    const fixture = await createFamily();
    const client = await connect(fixture.watchPrincipal);
    expect(await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' })).toMatchObject({ ok: true });
    await fixture.bind(null);
    await waitUntil('the rejection', async () => {
      const response = await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' });
      return !response.ok && response.reason === 'WATCH_UNBOUND';
    });
  });
});
