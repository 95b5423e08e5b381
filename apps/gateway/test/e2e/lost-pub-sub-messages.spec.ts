import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { EventConsumer } from '@family-watch/event-bus/event-consumer';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ConnectionRegistryService } from '../../src/contexts/connections/connection-registry.service.js';
import { familyOf, nextVersion, user, watch } from '../support/gateway-test-environment.js';
import { waitForKind } from '../support/family-fixture.js';
import { connect } from '../support/clients.js';
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
    const [owner, watchPrincipal] = [user(), watch()];
    const family = familyOf(owner, [], watchPrincipal);
    await environment.publishFamily(family);
    const client = await connect(owner);
    const { familyId } = family;
    const cid = family.children[0]?.cid ?? '';
    const payload = { familyId, cid, did: Number(watchPrincipal.id), by: `user:${owner.id}`, time: 1 } as const;
    await environment.publish({ name: 'userctx.watch.bound', key: familyId, payload });
    expect(client.durable).toEqual([]);
    await serviceOf(ConnectionRegistryService).sweepMailboxes();
    await waitForKind(client, 'DeviceBindStateChangeNoticeMessage');
  });

  test('an unbound watch is rejected', async () => {
    const [owner, guardian, watchPrincipal] = [user(), user(), watch()];
    const family = familyOf(owner, [guardian], watchPrincipal);
    await environment.publishFamily(family);
    const client = await connect(watchPrincipal);
    expect(await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' })).toMatchObject({ ok: true });
    await environment.publishFamily(nextVersion(family, { children: [{ cid: randomUUID(), did: null }] }));
    await waitUntil('the rejection', async () => {
      const response = await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' });
      return !response.ok && response.reason === 'WATCH_UNBOUND';
    });
  });
});
