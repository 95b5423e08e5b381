import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/envelope';
import { ConnectionRegistryService } from '../../src/contexts/connections/connection-registry.service.js';
import { toMailboxEntries } from '../../src/contexts/mailbox/mailbox-entry.js';
import { MailboxNotifier } from '../../src/contexts/mailbox/mailbox-notifier.js';
import { MailboxService } from '../../src/contexts/mailbox/mailbox.service.js';
import type { GatewayNode } from '../support/gateway-node.js';
import { heldBytes } from '../support/node-under-attack.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { GatewayTestEnvironment, user } from '../support/gateway-test-environment.js';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';

const MESSAGES = 2_000;
const PAYLOAD_BYTES = 16 * 1_024;
const MAX_BUFFERED = 1_024 * 1_024;
/** From here on the gateway waits for the reader. */
const BLOCKED_FROM = 512 * 1_024;
/** No more than a slow machine says within the five seconds that a reader may stand still. */
const NEWEST_VALUES = 4_000;

let world: GatewayTestEnvironment;
let node: GatewayNode;

beforeAll(async () => {
  world = await GatewayTestEnvironment.start();
  node = await world.addNode();
});

afterAll(() => world.stop());

/** Far more than the kernel buffers for a reader that stands still. */
async function fillMailbox({ id }: Principal): Promise<void> {
  const mailboxes = node.app.get(MailboxService, { strict: false });
  const subject = { familyId: null, cid: null, audience: 'MEMBERS' } as const;
  const payload = { text: 'x'.repeat(PAYLOAD_BYTES) };
  const kind = 'ContactsChangeNoticeMessage';
  const sources = Array.from({ length: MESSAGES }, (_, index) => `large-${index}`);
  await Promise.all(
    sources.map((source) => {
      const message = {
        ...subject,
        source,
        kind,
        time: world.clock.now(),
        from: SYSTEM_SENDER,
        did: null,
        payload,
      } as const;
      return mailboxes.deliver({ entries: toMailboxEntries([`user:${id}`], message) });
    }),
  );
}

interface Radius {
  radius: number;
}

function announceLatest({ owner, family, cid, did }: FamilyFixture, value: number): void {
  const time = world.clock.now();
  const subject = { familyId: family.familyId, cid, audience: 'LOCATION' } as const;
  node.app.get(MailboxNotifier, { strict: false }).publishLatest([`user:${owner.id}`], {
    key: `location:${cid}`,
    subject,
    message: {
      id: randomUUID(),
      kind: 'LocationPointChangeMessage',
      time,
      from: SYSTEM_SENDER,
      did,
      cid,
      payload: { radius: value, filler: 'x'.repeat(10 * 1_024 - 5) + String(value).padStart(5, '0') },
    },
  });
}

interface RawSocket {
  pause(): void;
  resume(): void;
}

function rawSocketOf(client: TestClient): RawSocket {
  const { transport } = client.socket.io.engine as unknown as { transport: { ws: { _socket: RawSocket } } };
  return transport.ws._socket;
}

describe('a reader that does not keep up', () => {
  test('has at most 1 MiB buffered, is disconnected, and loses nothing', async () => {
    const reader = user();
    const client = await world.connect(node, reader);
    const [session] = node.app.get(ConnectionRegistryService, { strict: false }).sessionsOf(`user:${reader.id}`);
    if (!session) throw new Error('The reader is not connected');
    const close = jest.spyOn(session.connection, 'close');
    rawSocketOf(client).pause();
    await fillMailbox(reader);
    let most = 0;
    await waitUntil('the end of the connection', () => {
      most = Math.max(most, session.channel.bufferedBytes);
      return session.connection.isClosed;
    });
    // Engine.IO ends it, too, later, because no heartbeat is answered.
    expect(close).toHaveBeenCalledWith('slow reader');
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(MAX_BUFFERED);
    const held = () =>
      node.app.get(ConnectionRegistryService, { strict: false }).sessionsOf(`user:${reader.id}`).length;
    await waitUntil('the end of the session', () => held() === 0);
    const again = await world.connect(node, reader);
    await again.waitFor(() => again.durable.length === MESSAGES, 'all messages');
    expect(again.durable.map(({ seq }) => seq)).toEqual(Array.from({ length: MESSAGES }, (_, index) => index + 1));
    expect(again.problems).toEqual([]);
  });

  test('while it is blocked newest values replace one another, whatever comes', async () => {
    const home = await FamilyFixture.in(world);
    await fillMailbox(home.owner);
    const client = await world.connect(node, home.owner, { last: 0 });
    rawSocketOf(client).pause();
    const [session] = node.app.get(ConnectionRegistryService, { strict: false }).sessionsOf(`user:${home.owner.id}`);
    const buffered = () => session?.channel.bufferedBytes ?? 0;
    await waitUntil('a reader that blocks', () => buffered() > BLOCKED_FROM);
    const before = heldBytes();
    for (let value = 1; value <= NEWEST_VALUES; value += 1) {
      announceLatest(home, value);
      if (value % 200 === 0) await sleep(0);
    }
    expect(session?.connection.isClosed).toBe(false);
    expect(buffered()).toBeLessThan(MAX_BUFFERED);
    // Each value alone weighs 10 KiB: all of them would be 40 MiB.
    expect(heldBytes() - before).toBeLessThan(8 * MAX_BUFFERED);
    rawSocketOf(client).resume();
    const radii = () => client.ofKind('LocationPointChangeMessage').map(({ payload }) => (payload as Radius).radius);
    await client.waitFor(() => radii().includes(NEWEST_VALUES), 'the newest value');
    await client.waitFor(() => client.ofKind('ContactsChangeNoticeMessage').length === MESSAGES, 'all messages');
    expect(radii()).toEqual([NEWEST_VALUES]);
    expect(client.problems).toEqual([]);
  });

  test('that pauses for a moment is waited for', async () => {
    const reader = user();
    const client = await world.connect(node, reader);
    rawSocketOf(client).pause();
    await fillMailbox(reader);
    await sleep(1_500);
    rawSocketOf(client).resume();
    await client.waitFor(() => client.durable.length === MESSAGES, 'all messages');
    expect(client.problems).toEqual([]);
    expect(client.disconnectedBecause).toBeUndefined();
  });
});
