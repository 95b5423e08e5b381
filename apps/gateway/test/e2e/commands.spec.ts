import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/message-kinds';
import type { RemoteCommand } from '@family-watch/domain/watches/contracts/remote-command';
import { type FamilyFixture, waitForDurable } from '../support/family-fixture.js';
import { connect, createFamily } from '../support/clients.js';
import { environment, node, otherNode, startGateway } from '../support/suite-gateway.js';

startGateway();

type CommandEvent = 'queued' | 'cancelled';

const commandEvent = (
  { cid, did, family: { familyId }, owner }: FamilyFixture,
  event: CommandEvent,
  commandId: string,
  command: RemoteCommand = 'REBOOT',
) => ({
  name: `userctx.remote-command.${event}` as const,
  key: familyId,
  payload: { familyId, cid, did, commandId, command, by: `user:${owner.id}`, time: environment.clock.now() } as const,
});

const publish = (fixture: FamilyFixture, ...event: [CommandEvent, string, RemoteCommand?]) =>
  environment.publish(commandEvent(fixture, ...event));

/** Publishes both events in one envelope, so that one transaction handles them. */
const publishCancelled = (fixture: FamilyFixture, commandId: string) =>
  environment.publishAll(
    fixture.family.familyId,
    (['queued', 'cancelled'] as const).map((event) => commandEvent(fixture, event, commandId)),
  );

const commandsOf = (messages: MessageEnvelope[]) =>
  messages.map(({ payload }) => (payload as { commandId: string }).commandId);

describe('remote commands', () => {
  test('reach only the watch, under the command id, and an event reports that they were sent', async () => {
    const fixture = await createFamily();
    const [watchClient, owner] = await Promise.all([
      connect(fixture.watchPrincipal),
      connect(fixture.owner, otherNode),
    ]);
    const commandId = randomUUID();
    await publish(fixture, 'queued', commandId, 'SHUTDOWN');
    await waitForDurable(watchClient, 1);
    expect(watchClient.durable).toMatchObject([
      { id: commandId, kind: 'RemoteControlShutdownNoticeMessage', did: fixture.did, payload: { commandId } },
    ]);
    const sent = await node.outboxPayloadsOf<{ commandId: string; did: number }>('gateway.remote-command.sent');
    expect(sent.filter((event) => event.commandId === commandId)).toMatchObject([{ did: fixture.did }]);
    await watchClient.send('AckMessage', { messageId: commandId, status: 'APPLIED' });
    const acknowledged = await node.outboxPayloadsOf<{ messageId: string }>('gateway.message.acknowledged');
    expect(acknowledged.filter(({ messageId }) => messageId === commandId)).toMatchObject([
      { by: `watch:${fixture.did}`, kind: 'RemoteControlShutdownNoticeMessage', status: 'APPLIED' },
    ]);
    expect(owner.durable).toEqual([]);
  });

  test.each<[string, (fixture: FamilyFixture, id: string) => Promise<void>]>([
    ['in the transaction that queues them', publishCancelled],
    [
      'after they were stored',
      async (fixture, id) => {
        await publish(fixture, 'queued', id);
        await publish(fixture, 'cancelled', id);
      },
    ],
  ])('are withdrawn from the mailbox when cancelled %s', async (_, cancel) => {
    const fixture = await createFamily();
    const [cancelled, remaining] = [randomUUID(), randomUUID()];
    // This connection stores the watch's cursor at the beginning of its mailbox.
    (await connect(fixture.watchPrincipal)).close();
    await cancel(fixture, cancelled);
    await publish(fixture, 'queued', remaining);
    const watchClient = await connect(fixture.watchPrincipal, otherNode);
    await waitForDurable(watchClient, 1);
    expect(commandsOf(watchClient.durable)).toEqual([remaining]);
  });

  test('are not reported as sent when they are cancelled in the transaction that queues them', async () => {
    const fixture = await createFamily();
    const cancelled = randomUUID();
    await publishCancelled(fixture, cancelled);
    const sent = await node.outboxPayloadsOf<{ commandId: string }>('gateway.remote-command.sent');
    expect(sent.filter(({ commandId }) => commandId === cancelled)).toEqual([]);
  });

  test('do not reach a connected watch when they are queued and cancelled in the same transaction', async () => {
    const fixture = await createFamily();
    const watchClient = await connect(fixture.watchPrincipal);
    const [cancelled, remaining] = [randomUUID(), randomUUID()];
    await publishCancelled(fixture, cancelled);
    await publish(fixture, 'queued', remaining);
    await waitForDurable(watchClient, 1);
    expect(commandsOf(watchClient.durable)).toEqual([remaining]);
  });

  test('do not reach a watch that was unbound from the child after they were queued', async () => {
    const fixture = await createFamily();
    (await connect(fixture.watchPrincipal)).close();
    await publish(fixture, 'queued', randomUUID());
    await fixture.bind(null);
    const next = await createFamily();
    const watchClient = await connect(fixture.watchPrincipal);
    const other = await connect(next.watchPrincipal);
    await publish(next, 'queued', randomUUID());
    await waitForDurable(other, 1);
    expect(watchClient.durable).toEqual([]);
  });
});

// These tests come last, because they advance the clock that all tests share.
test.each([
  ['FIND', 120_000],
  ['REBOOT', 600_000],
] as const)('the remote command %s is not delivered when it is %i ms old', async (command, ttl) => {
  const fixture = await createFamily();
  (await connect(fixture.watchPrincipal)).close();
  const [late, fresh] = [randomUUID(), randomUUID()];
  await publish(fixture, 'queued', late, command);
  environment.clock.forward(ttl);
  await publish(fixture, 'queued', fresh, command);
  const watchClient = await connect(fixture.watchPrincipal);
  await waitForDurable(watchClient, 1);
  expect(commandsOf(watchClient.durable)).toEqual([fresh]);
});
