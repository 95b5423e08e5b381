import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EventConsumer } from '@family-watch/event-bus/event-consumer';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ConnectionRegistryService } from '../../src/contexts/connections/connection-registry.service.js';
import type { GatewayNode } from '../support/gateway-node.js';
import { familyOf, GatewayTestEnvironment, nextVersion, user, watch } from '../support/gateway-test-environment.js';

let environment: GatewayTestEnvironment;
/** This node handles no events, so it must find messages that another node stores. */
let node: GatewayNode;

beforeAll(async () => {
  environment = await GatewayTestEnvironment.start();
  await environment.addNode();
  node = await environment.addNode();
  await node.app.get(EventConsumer, { strict: false }).stop();
  // Closing the pub/sub loses all further messages, as when the connection to the bus is down.
  await environment.pubSub.close();
});

afterAll(() => environment.stop());

describe('while pub/sub messages are lost', () => {
  test('the mailbox sweep delivers stored messages', async () => {
    const [owner, watchPrincipal] = [user(), watch()];
    const family = familyOf(owner, [], watchPrincipal);
    await environment.publishFamily(family);
    const client = await environment.connect(node, owner);
    const { familyId } = family;
    const cid = family.children[0]?.cid ?? '';
    const payload = { familyId, cid, did: Number(watchPrincipal.id), by: `user:${owner.id}`, time: 1 } as const;
    await environment.publish({ name: 'userctx.watch.bound', key: familyId, payload });
    expect(client.durable).toEqual([]);
    await node.app.get(ConnectionRegistryService, { strict: false }).sweepMailboxes();
    await client.waitFor(() => client.messagesOfKind('DeviceBindStateChangeNoticeMessage').length === 1, 'the notice');
  });

  test('an unbound watch is rejected', async () => {
    const [owner, guardian, watchPrincipal] = [user(), user(), watch()];
    const family = familyOf(owner, [guardian], watchPrincipal);
    await environment.publishFamily(family);
    const client = await environment.connect(node, watchPrincipal);
    expect(await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' })).toMatchObject({ ok: true });
    await environment.publishFamily(nextVersion(family, { children: [{ cid: randomUUID(), did: null }] }));
    await waitUntil('the rejection', async () => {
      const response = await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' });
      return !response.ok && response.reason === 'WATCH_UNBOUND';
    });
  });
});
