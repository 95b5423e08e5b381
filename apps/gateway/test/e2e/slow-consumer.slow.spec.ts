import { describe, expect, jest, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/message-kinds';
import { ConnectionRegistryService } from '../../src/connections/connection-registry.service.js';
import { toMailboxEntries } from '../../src/mailbox/mailbox-entry.js';
import { MailboxNotifier } from '../../src/mailbox/mailbox-notifier.js';
import { MailboxService } from '../../src/mailbox/mailbox.service.js';
import { socketOf, usedMemoryBytes } from '../support/node-under-attack.js';
import type { FamilyFixture } from '../support/family-fixture.js';
import { user } from '../support/gateway-test-environment.js';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { connect, createFamily } from '../support/clients.js';
import { environment, node, serviceOf, startGateway } from '../support/suite-gateway.js';

const MESSAGE_COUNT = 2_000;
const PAYLOAD_BYTES = 16 * 1_024;
const MAX_BUFFERED_BYTES = 1_024 * 1_024;
/** Buffered bytes above which the gateway sends nothing until the client has read. */
const HIGH_WATER_BYTES = 512 * 1_024;
/**
 * Number of location updates: a slow machine must be able to publish all of them within the five seconds for which a
 * client may stop reading.
 */
const LOCATION_UPDATE_COUNT = 1_000;

startGateway({}, 1);

/** Stores far more message bytes in a mailbox than the kernel buffers for a client that does not read. */
async function fillMailbox({ id }: Principal): Promise<void> {
  const mailboxes = serviceOf(MailboxService);
  const subject = { familyId: null, cid: null, audience: 'MEMBERS' } as const;
  const payload = { text: 'x'.repeat(PAYLOAD_BYTES) };
  const kind = 'ContactsChangeNoticeMessage';
  const sources = Array.from({ length: MESSAGE_COUNT }, (_, index) => `large-${index}`);
  await Promise.all(
    sources.map((source) => {
      const message = {
        ...subject,
        source,
        kind,
        time: environment.clock.now(),
        from: SYSTEM_SENDER,
        did: null,
        payload,
      } as const;
      return mailboxes.deliver({ entries: toMailboxEntries([`user:${id}`], message) });
    }),
  );
}

interface RadiusPayload {
  radius: number;
}

function publishLatest({ owner, family, cid, did }: FamilyFixture, value: number): void {
  const time = environment.clock.now();
  const subject = { familyId: family.familyId, cid, audience: 'LOCATION' } as const;
  serviceOf(MailboxNotifier).publishLatest([`user:${owner.id}`], {
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

describe('a slow client', () => {
  test('is disconnected with at most 1 MiB buffered and loses no message', async () => {
    const recipient = user();
    const client = await connect(recipient);
    const [session] = serviceOf(ConnectionRegistryService).sessionsOf(`user:${recipient.id}`);
    if (!session) throw new Error('The recipient is not connected');
    const close = jest.spyOn(session.connection, 'close');
    socketOf(client).pause();
    let maxBuffered = 0;
    const closed = waitUntil('the end of the connection', () => {
      maxBuffered = Math.max(maxBuffered, session.channel.bufferedBytes);
      return session.connection.isClosed;
    });
    await Promise.all([fillMailbox(recipient), closed]);
    // Later, Engine.IO also closes the connection, because the client does not respond to its pings.
    expect(close).toHaveBeenCalledWith('slow reader');
    expect(maxBuffered).toBeGreaterThan(0);
    expect(maxBuffered).toBeLessThan(MAX_BUFFERED_BYTES);
    const sessionCount = () => serviceOf(ConnectionRegistryService).sessionsOf(`user:${recipient.id}`).length;
    await waitUntil('the end of the session', () => sessionCount() === 0);
    const reconnected = await connect(recipient);
    await reconnected.waitFor(() => reconnected.durable.length === MESSAGE_COUNT, 'all messages');
    expect(reconnected.durable.map(({ seq }) => seq)).toEqual(
      Array.from({ length: MESSAGE_COUNT }, (_, index) => index + 1),
    );
    expect(reconnected.problems).toEqual([]);
  });

  test('receives only the latest value of each key after it resumes reading', async () => {
    const fixture = await createFamily();
    await fillMailbox(fixture.owner);
    const client = await connect(fixture.owner, node, { last: 0 });
    socketOf(client).pause();
    const [session] = serviceOf(ConnectionRegistryService).sessionsOf(`user:${fixture.owner.id}`);
    const buffered = () => session?.channel.bufferedBytes ?? 0;
    await waitUntil('the client to block', () => buffered() > HIGH_WATER_BYTES);
    const before = usedMemoryBytes();
    for (let value = 1; value <= LOCATION_UPDATE_COUNT; value += 1) {
      publishLatest(fixture, value);
      if (value % 200 === 0) await sleep(0);
    }
    expect(session?.connection.isClosed).toBe(false);
    expect(buffered()).toBeLessThan(MAX_BUFFERED_BYTES);
    // Each value is 10 KiB, so all values together would be 10 MiB.
    expect(usedMemoryBytes() - before).toBeLessThan(8 * MAX_BUFFERED_BYTES);
    socketOf(client).resume();
    const radii = () =>
      client.messagesOfKind('LocationPointChangeMessage').map(({ payload }) => (payload as RadiusPayload).radius);
    await client.waitFor(() => radii().includes(LOCATION_UPDATE_COUNT), 'the newest value');
    await client.waitFor(
      () => client.messagesOfKind('ContactsChangeNoticeMessage').length === MESSAGE_COUNT,
      'all messages',
    );
    expect(radii()).toEqual([LOCATION_UPDATE_COUNT]);
    expect(client.problems).toEqual([]);
  });

  test('is not disconnected after a short pause', async () => {
    const recipient = user();
    await fillMailbox(recipient);
    const client = await connect(recipient, node, { last: 0 });
    socketOf(client).pause();
    await sleep(1_500);
    socketOf(client).resume();
    await client.waitFor(() => client.durable.length === MESSAGE_COUNT, 'all messages');
    expect(client.problems).toEqual([]);
    expect(client.disconnectReason).toBeUndefined();
  });
});
