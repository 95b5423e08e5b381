import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/envelope';
import { ConnectionRegistry } from '../../src/contexts/connections/connection-registry.service.js';
import { entriesFor } from '../../src/contexts/mailbox/mailbox-entry.js';
import { WakeUps } from '../../src/contexts/mailbox/wake-ups.js';
import { MailboxService } from '../../src/contexts/mailbox/mailbox.service.js';
import type { GatewayNode } from '../support/gateway-node.js';
import { heldBytes } from '../support/abused-node.js';
import { Household } from '../support/household.js';
import { GatewayWorld, user } from '../support/gateway-world.js';
import type { TestClient } from '@family-watch/testing/clients/test-client';

const MESSAGES = 2_000;
const PAYLOAD_BYTES = 16 * 1_024;
const MAX_BUFFERED = 1_024 * 1_024;
/** From here on the gateway waits for the reader. */
const BLOCKED_FROM = 512 * 1_024;
/** No more than a slow machine says within the five seconds that a reader may stand still. */
const NEWEST_VALUES = 4_000;

let world: GatewayWorld;
let node: GatewayNode;

beforeAll(async () => {
  world = await GatewayWorld.start();
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
      return mailboxes.deliver({ entries: entriesFor([`user:${id}`], message) });
    }),
  );
}

interface Radius {
  radius: number;
}

function announceLatest({ owner, family, cid, did }: Household, value: number): void {
  const time = world.clock.now();
  const subject = { familyId: family.familyId, cid, audience: 'LOCATION' } as const;
  node.app.get(WakeUps, { strict: false }).announceLatest([`user:${owner.id}`], {
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
    const [session] = node.app.get(ConnectionRegistry, { strict: false }).sessionsOf(`user:${reader.id}`);
    rawSocketOf(client).pause();
    await fillMailbox(reader);
    let most = 0;
    const deadline = Date.now() + 20_000;
    while (!session?.connection.isClosed && Date.now() < deadline) {
      most = Math.max(most, session?.channel.bufferedBytes ?? 0);
      await sleep(20);
    }
    expect(session?.connection.isClosed).toBe(true);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(MAX_BUFFERED);
    const held = () => node.app.get(ConnectionRegistry, { strict: false }).sessionsOf(`user:${reader.id}`).length;
    while (held() > 0 && Date.now() < deadline) await sleep(20);
    expect(held()).toBe(0);
    const again = await world.connect(node, reader);
    await again.until(() => again.durable.length === MESSAGES, 'all messages', 90_000);
    expect(again.durable.map(({ seq }) => seq)).toEqual(Array.from({ length: MESSAGES }, (_, index) => index + 1));
    expect(again.problems).toEqual([]);
  }, 180_000);

  test('while it is blocked newest values replace one another, whatever comes', async () => {
    const home = await Household.in(world);
    await fillMailbox(home.owner);
    const client = await world.connect(node, home.owner, { last: 0 });
    rawSocketOf(client).pause();
    const [session] = node.app.get(ConnectionRegistry, { strict: false }).sessionsOf(`user:${home.owner.id}`);
    const buffered = () => session?.channel.bufferedBytes ?? 0;
    while (buffered() <= BLOCKED_FROM) await sleep(5);
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
    await client.until(() => radii().includes(NEWEST_VALUES), 'the newest value', 90_000);
    await client.until(() => client.ofKind('ContactsChangeNoticeMessage').length === MESSAGES, 'all messages', 90_000);
    expect(radii()).toEqual([NEWEST_VALUES]);
    expect(client.problems).toEqual([]);
  }, 180_000);

  test('that pauses for a moment is waited for', async () => {
    const reader = user();
    const client = await world.connect(node, reader);
    rawSocketOf(client).pause();
    await fillMailbox(reader);
    await sleep(1_500);
    rawSocketOf(client).resume();
    await client.until(() => client.durable.length === MESSAGES, 'all messages', 90_000);
    expect(client.problems).toEqual([]);
    expect(client.disconnectedBecause).toBeUndefined();
  }, 180_000);
});
