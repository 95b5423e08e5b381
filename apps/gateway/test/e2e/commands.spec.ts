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

type Told = 'queued' | 'cancelled';

/** Commands to the watch of a household, as userctx tells of them. */
class Commands {
  constructor(readonly home: FamilyFixture) {}

  fact(commandId: string, command: RemoteCommand = 'REBOOT'): DomainEvents['userctx.remote-command.queued'] {
    const { cid, did, family, owner } = this.home;
    const time = world.clock.now();
    return { familyId: family.familyId, cid, did, commandId, command, by: `user:${owner.id}`, time };
  }

  tell(told: Told, commandId: string, command?: RemoteCommand): Promise<void> {
    const key = this.home.family.familyId;
    return world.publish({ name: `userctx.remote-command.${told}`, key, payload: this.fact(commandId, command) });
  }

  /** Both at once, so that one unit of work handles them. */
  async tellTogether(commandId: string, ...all: Told[]): Promise<void> {
    const key = this.home.family.familyId;
    const events = all.map((told) => {
      const event = { name: `userctx.remote-command.${told}` as const, key, payload: this.fact(commandId) };
      return { ...event, id: randomUUID(), time: world.clock.now() };
    });
    await world.messaging.bus.publish(createEnvelope('userctx', partitionOf(key), events));
  }
}

const commandsOf = (messages: MessageEnvelope[]) =>
  messages.map(({ payload }) => (payload as { commandId: string }).commandId);

async function settle(): Promise<Commands> {
  return new Commands(await FamilyFixture.in(world));
}

describe('commands', () => {
  test('reach the watch alone, under the id of the command, and are said to be sent', async () => {
    const commands = await settle();
    const { home } = commands;
    const [wearer, owner] = await Promise.all([world.connect(node, home.wearer), world.connect(otherNode, home.owner)]);
    const commandId = randomUUID();
    await commands.tell('queued', commandId, 'SHUTDOWN');
    await untilDurable(wearer, 1);
    expect(wearer.durable).toMatchObject([
      { id: commandId, kind: 'RemoteControlShutdownNoticeMessage', did: home.did, payload: { commandId } },
    ]);
    const sent = await node.outboxOf<{ commandId: string; did: number }>('gateway.remote-command.sent');
    expect(sent.filter((fact) => fact.commandId === commandId)).toMatchObject([{ did: home.did }]);
    await wearer.send('AckMessage', { messageId: commandId, status: 'APPLIED' });
    const said = await node.outboxOf<{ messageId: string }>('gateway.message.acknowledged');
    expect(said.filter(({ messageId }) => messageId === commandId)).toMatchObject([
      { by: `watch:${home.did}`, kind: 'RemoteControlShutdownNoticeMessage', status: 'APPLIED' },
    ]);
    expect(owner.durable).toEqual([]);
  });

  test.each<[string, (commands: Commands, id: string) => Promise<void>]>([
    ['together with the command', (commands, id) => commands.tellTogether(id, 'queued', 'cancelled')],
    [
      'after it was stored',
      async (commands, id) => {
        await commands.tell('queued', id);
        await commands.tell('cancelled', id);
      },
    ],
  ])('a cancellation that is told %s takes it back', async (_, tell) => {
    const commands = await settle();
    const [cancelled, kept] = [randomUUID(), randomUUID()];
    // Cursor at the beginning of the mailbox, and away again.
    (await world.connect(node, commands.home.wearer)).close();
    await tell(commands, cancelled);
    await commands.tell('queued', kept);
    const wearer = await world.connect(otherNode, commands.home.wearer);
    await untilDurable(wearer, 1);
    expect(commandsOf(wearer.durable)).toEqual([kept]);
  });

  test('a connected watch does not see what was cancelled together with it', async () => {
    const commands = await settle();
    const wearer = await world.connect(node, commands.home.wearer);
    const [cancelled, kept] = [randomUUID(), randomUUID()];
    await commands.tellTogether(cancelled, 'queued', 'cancelled');
    await commands.tell('queued', kept);
    await untilDurable(wearer, 1);
    expect(commandsOf(wearer.durable)).toEqual([kept]);
  });

  test('a watch that has left the child does not see what it was told before', async () => {
    const commands = await settle();
    const { home } = commands;
    (await world.connect(node, home.wearer)).close();
    await commands.tell('queued', randomUUID());
    await world.familyChanged(nextVersion(home.family, { children: [{ cid: home.cid, did: null }] }));
    const next = await settle();
    const wearer = await world.connect(node, home.wearer);
    const other = await world.connect(node, next.home.wearer);
    await next.tell('queued', randomUUID());
    await untilDurable(other, 1);
    expect(wearer.durable).toEqual([]);
  });
});

// Last, because the clock goes forward for everybody.
test.each([
  ['FIND', 120_000],
  ['REBOOT', 600_000],
] as const)('%s is not delivered after %i ms', async (command, lifetime) => {
  const commands = await settle();
  (await world.connect(node, commands.home.wearer)).close();
  const [late, fresh] = [randomUUID(), randomUUID()];
  await commands.tell('queued', late, command);
  world.clock.forward(lifetime);
  await commands.tell('queued', fresh, command);
  const wearer = await world.connect(node, commands.home.wearer);
  await untilDurable(wearer, 1);
  expect(commandsOf(wearer.durable)).toEqual([fresh]);
});
