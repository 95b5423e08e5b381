import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { DomainEvents } from '@family-watch/domain/events';
import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/message-kinds';
import type { RemoteCommand } from '@family-watch/domain/remote-control/contracts/remote-command';
import { createEnvelope } from '@family-watch/event-bus/envelope';
import { partitionOf } from '@family-watch/event-bus/partition';
import { nextVersion } from '../support/gateway-test-environment.js';
import { FamilyFixture, waitForDurable } from '../support/family-fixture.js';
import { connect, createFamily, environment, node, otherNode, startGateway } from '../support/suite-gateway.js';

startGateway();

type CommandEvent = 'queued' | 'cancelled';

/** Publishes remote command events for the watch of a family, as userctx does. */
class CommandPublisher {
  constructor(readonly fixture: FamilyFixture) {}

  payloadOf(commandId: string, command: RemoteCommand = 'REBOOT'): DomainEvents['userctx.remote-command.queued'] {
    const { cid, did, family, owner } = this.fixture;
    const time = environment.clock.now();
    return { familyId: family.familyId, cid, did, commandId, command, by: `user:${owner.id}`, time };
  }

  publish(event: CommandEvent, commandId: string, command?: RemoteCommand): Promise<void> {
    const key = this.fixture.family.familyId;
    return environment.publish({
      name: `userctx.remote-command.${event}`,
      key,
      payload: this.payloadOf(commandId, command),
    });
  }

  /** Publishes all of these events in one envelope, so that one transaction handles them. */
  async publishTogether(commandId: string, ...all: CommandEvent[]): Promise<void> {
    const key = this.fixture.family.familyId;
    const envelopes = all.map((event) => ({
      name: `userctx.remote-command.${event}` as const,
      key,
      payload: this.payloadOf(commandId),
      id: randomUUID(),
      time: environment.clock.now(),
    }));
    await environment.messaging.bus.publish(createEnvelope('userctx', partitionOf(key), envelopes));
  }
}

const commandsOf = (messages: MessageEnvelope[]) =>
  messages.map(({ payload }) => (payload as { commandId: string }).commandId);

async function createPublisher(): Promise<CommandPublisher> {
  return new CommandPublisher(await createFamily());
}

describe('remote commands', () => {
  test('reach only the watch, under the command id, and an event reports that they were sent', async () => {
    const commands = await createPublisher();
    const { fixture } = commands;
    const [watchClient, owner] = await Promise.all([
      connect(fixture.watchPrincipal),
      connect(fixture.owner, otherNode),
    ]);
    const commandId = randomUUID();
    await commands.publish('queued', commandId, 'SHUTDOWN');
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

  test.each<[string, (commands: CommandPublisher, id: string) => Promise<void>]>([
    ['in the transaction that queues them', (commands, id) => commands.publishTogether(id, 'queued', 'cancelled')],
    [
      'after they were stored',
      async (commands, id) => {
        await commands.publish('queued', id);
        await commands.publish('cancelled', id);
      },
    ],
  ])('are withdrawn from the mailbox when cancelled %s', async (_, publish) => {
    const commands = await createPublisher();
    const [cancelled, remaining] = [randomUUID(), randomUUID()];
    // This connection stores the watch's cursor at the beginning of its mailbox.
    (await connect(commands.fixture.watchPrincipal)).close();
    await publish(commands, cancelled);
    await commands.publish('queued', remaining);
    const watchClient = await connect(commands.fixture.watchPrincipal, otherNode);
    await waitForDurable(watchClient, 1);
    expect(commandsOf(watchClient.durable)).toEqual([remaining]);
  });

  test('do not reach a connected watch when they are queued and cancelled in the same transaction', async () => {
    const commands = await createPublisher();
    const watchClient = await connect(commands.fixture.watchPrincipal);
    const [cancelled, remaining] = [randomUUID(), randomUUID()];
    await commands.publishTogether(cancelled, 'queued', 'cancelled');
    await commands.publish('queued', remaining);
    await waitForDurable(watchClient, 1);
    expect(commandsOf(watchClient.durable)).toEqual([remaining]);
  });

  test('do not reach a watch that was unbound from the child after they were queued', async () => {
    const commands = await createPublisher();
    const { fixture } = commands;
    (await connect(fixture.watchPrincipal)).close();
    await commands.publish('queued', randomUUID());
    await environment.publishFamily(nextVersion(fixture.family, { children: [{ cid: fixture.cid, did: null }] }));
    const next = await createPublisher();
    const watchClient = await connect(fixture.watchPrincipal);
    const other = await connect(next.fixture.watchPrincipal);
    await next.publish('queued', randomUUID());
    await waitForDurable(other, 1);
    expect(watchClient.durable).toEqual([]);
  });
});

// These tests come last, because they advance the clock that all tests share.
test.each([
  ['FIND', 120_000],
  ['REBOOT', 600_000],
] as const)('the remote command %s is not delivered when it is %i ms old', async (command, ttl) => {
  const commands = await createPublisher();
  (await connect(commands.fixture.watchPrincipal)).close();
  const [late, fresh] = [randomUUID(), randomUUID()];
  await commands.publish('queued', late, command);
  environment.clock.forward(ttl);
  await commands.publish('queued', fresh, command);
  const watchClient = await connect(commands.fixture.watchPrincipal);
  await waitForDurable(watchClient, 1);
  expect(commandsOf(watchClient.durable)).toEqual([fresh]);
});
