import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DomainEvents } from '@family-watch/domain/events';
import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/envelope';
import type { RemoteCommand } from '@family-watch/domain/remote-control/contracts/remote-control.events';
import { createEnvelope } from '@family-watch/event-bus/envelope';
import { partitionOf } from '@family-watch/event-bus/partition';
import type { GatewayNode } from '../support/gateway-node.js';
import { GatewayTestEnvironment, nextVersion } from '../support/gateway-test-environment.js';
import { FamilyFixture, untilDurable } from '../support/family-fixture.js';

let world: GatewayTestEnvironment;
let node: GatewayNode;
let otherNode: GatewayNode;

beforeAll(async () => {
  world = await GatewayTestEnvironment.start();
  node = await world.addNode();
  otherNode = await world.addNode();
});
afterAll(() => world.stop());

type CommandEvent = 'queued' | 'cancelled';

/** Publishes remote command events for the watch of a family, as userctx does. */
class CommandPublisher {
  constructor(readonly home: FamilyFixture) {}

  payloadOf(commandId: string, command: RemoteCommand = 'REBOOT'): DomainEvents['userctx.remote-command.queued'] {
    const { cid, did, family, owner } = this.home;
    const time = world.clock.now();
    return { familyId: family.familyId, cid, did, commandId, command, by: `user:${owner.id}`, time };
  }

  publish(event: CommandEvent, commandId: string, command?: RemoteCommand): Promise<void> {
    const key = this.home.family.familyId;
    return world.publish({ name: `userctx.remote-command.${event}`, key, payload: this.payloadOf(commandId, command) });
  }

  /** Publishes both events in one envelope, so that one transaction handles them. */
  async publishTogether(commandId: string, ...all: CommandEvent[]): Promise<void> {
    const key = this.home.family.familyId;
    const envelopes = all.map((event) => ({
      name: `userctx.remote-command.${event}` as const,
      key,
      payload: this.payloadOf(commandId),
      id: randomUUID(),
      time: world.clock.now(),
    }));
    await world.messaging.bus.publish(createEnvelope('userctx', partitionOf(key), envelopes));
  }
}

const commandsOf = (messages: MessageEnvelope[]) =>
  messages.map(({ payload }) => (payload as { commandId: string }).commandId);

async function createPublisher(): Promise<CommandPublisher> {
  return new CommandPublisher(await FamilyFixture.in(world));
}

describe('remote commands', () => {
  test("deliver only to the watch, under the command's id, and publish that they were sent", async () => {
    const commands = await createPublisher();
    const { home } = commands;
    const [wearer, owner] = await Promise.all([world.connect(node, home.wearer), world.connect(otherNode, home.owner)]);
    const commandId = randomUUID();
    await commands.publish('queued', commandId, 'SHUTDOWN');
    await untilDurable(wearer, 1);
    expect(wearer.durable).toMatchObject([
      { id: commandId, kind: 'RemoteControlShutdownNoticeMessage', did: home.did, payload: { commandId } },
    ]);
    const sent = await node.outboxOf<{ commandId: string; did: number }>('gateway.remote-command.sent');
    expect(sent.filter((event) => event.commandId === commandId)).toMatchObject([{ did: home.did }]);
    await wearer.send('AckMessage', { messageId: commandId, status: 'APPLIED' });
    const acknowledged = await node.outboxOf<{ messageId: string }>('gateway.message.acknowledged');
    expect(acknowledged.filter(({ messageId }) => messageId === commandId)).toMatchObject([
      { by: `watch:${home.did}`, kind: 'RemoteControlShutdownNoticeMessage', status: 'APPLIED' },
    ]);
    expect(owner.durable).toEqual([]);
  });

  test.each<[string, (commands: CommandPublisher, id: string) => Promise<void>]>([
    ['together with the command', (commands, id) => commands.publishTogether(id, 'queued', 'cancelled')],
    [
      'after it was stored',
      async (commands, id) => {
        await commands.publish('queued', id);
        await commands.publish('cancelled', id);
      },
    ],
  ])('withdraw the command when it is cancelled %s', async (_, publish) => {
    const commands = await createPublisher();
    const [cancelled, remaining] = [randomUUID(), randomUUID()];
    // Places the watch's cursor at the beginning of the mailbox.
    (await world.connect(node, commands.home.wearer)).close();
    await publish(commands, cancelled);
    await commands.publish('queued', remaining);
    const wearer = await world.connect(otherNode, commands.home.wearer);
    await untilDurable(wearer, 1);
    expect(commandsOf(wearer.durable)).toEqual([remaining]);
  });

  test('do not deliver a command cancelled in the same transaction to a connected watch', async () => {
    const commands = await createPublisher();
    const wearer = await world.connect(node, commands.home.wearer);
    const [cancelled, remaining] = [randomUUID(), randomUUID()];
    await commands.publishTogether(cancelled, 'queued', 'cancelled');
    await commands.publish('queued', remaining);
    await untilDurable(wearer, 1);
    expect(commandsOf(wearer.durable)).toEqual([remaining]);
  });

  test('do not deliver earlier commands to a watch that was unbound from the child', async () => {
    const commands = await createPublisher();
    const { home } = commands;
    (await world.connect(node, home.wearer)).close();
    await commands.publish('queued', randomUUID());
    await world.familyChanged(nextVersion(home.family, { children: [{ cid: home.cid, did: null }] }));
    const next = await createPublisher();
    const wearer = await world.connect(node, home.wearer);
    const other = await world.connect(node, next.home.wearer);
    await next.publish('queued', randomUUID());
    await untilDurable(other, 1);
    expect(wearer.durable).toEqual([]);
  });
});

// These tests come last, because they advance the clock that all tests share.
test.each([
  ['FIND', 120_000],
  ['REBOOT', 600_000],
] as const)('does not deliver %s after %i ms', async (command, ttl) => {
  const commands = await createPublisher();
  (await world.connect(node, commands.home.wearer)).close();
  const [late, fresh] = [randomUUID(), randomUUID()];
  await commands.publish('queued', late, command);
  world.clock.forward(ttl);
  await commands.publish('queued', fresh, command);
  const wearer = await world.connect(node, commands.home.wearer);
  await untilDurable(wearer, 1);
  expect(commandsOf(wearer.durable)).toEqual([fresh]);
});
