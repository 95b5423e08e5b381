import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { COMMAND_KIND } from '@family-watch/domain/remote-control/contracts/remote-command';
import type { RemoteCommand } from '@family-watch/domain/remote-control/contracts/remote-control.events';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { CommandExpiryJob } from '../../../src/contexts/remote-control/command-expiry.job.js';
import { ApplyCommandMessageHandler } from '../../../src/contexts/remote-control/apply-command-message.handler.js';
import { CancelCommandsOnSosHandler } from '../../../src/contexts/remote-control/cancel-commands-on-sos.handler.js';
import { RemoteControlService } from '../../../src/contexts/remote-control/remote-control.service.js';
import { SosService } from '../../../src/contexts/sos/sos.service.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { PASSWORD, WatchesTestEnvironment } from '../../support/watches-test-environment.js';
import { CommandsModel } from './commands-model.js';

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let remote: RemoteControlService;
let home: BoundFamilyFixture;
let clock: number;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // Only the walk sweeps and brings events to handlers.
  replica = await world.replica({}, { jobs: [CommandExpiryJob], relay: true });
  remote = replica.get(RemoteControlService);
  home = await createBoundFamily(world, replica);
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => world.close());

/** The watch and its guardians are all there is; every step acts on them. */
type Home = Readonly<Record<string, never>>;

async function check(model: CommandsModel): Promise<void> {
  const { items } = await remote.list(home.owner, { did: home.watch.did, limit: 200 });
  const seen = items.map(({ commandId, state }) => [commandId, state]).toSorted();
  expect(seen).toEqual(model.commands.map((command) => [command.commandId, model.stateOf(command)]).toSorted());
  const told = await world.events('userctx.remote-command.cancelled', home.familyId);
  const cancelled = model.commands.filter(({ end }) => end === 'CANCELLED').map(({ commandId }) => commandId);
  const known = new Set(model.commands.map(({ commandId }) => commandId));
  const facts = told.map(({ commandId }) => commandId).filter((commandId) => known.has(commandId));
  expect(facts.toSorted()).toEqual(cancelled.toSorted());
  // Tries of the password are another suite's.
  await world.query('delete from userctx.attempt_counter');
}

abstract class Step implements fc.AsyncCommand<CommandsModel, Home> {
  check(_: Readonly<CommandsModel>): boolean {
    return true;
  }

  async run(model: CommandsModel): Promise<void> {
    await this.take(model);
    await check(model);
  }

  protected abstract take(model: CommandsModel): Promise<void>;
}

class Give extends Step {
  constructor(private readonly command: RemoteCommand) {
    super();
  }

  protected override async take(model: CommandsModel): Promise<void> {
    const expected = model.give(this.command);
    let commandId = '';
    const outcome = await outcomeOf(async () => {
      ({ commandId } = await this.given());
    });
    if (expected === 'SOS_ACTIVE') {
      expect(outcome).toBe('SOS_ACTIVE');
      return;
    }
    expect(outcome).toBe('ok');
    if (expected) expect(commandId).toBe(expected.commandId);
    else model.add(commandId, this.command);
  }

  private given() {
    const { did } = home.watch;
    if (this.command === 'SHUTDOWN') return remote.shutDown(home.owner, did, { password: PASSWORD });
    return remote.issue(home.owner, did, this.command);
  }

  override toString = () => `give ${this.command}`;
}

type Act = 'sent' | 'begins' | 'refuses' | 'succeeds' | 'fails' | 'cancelled';

class With extends Step {
  constructor(
    private readonly act: Act,
    private readonly which: number,
  ) {
    super();
  }

  override check({ commands }: Readonly<CommandsModel>): boolean {
    return commands.length > 0;
  }

  protected override async take(model: CommandsModel): Promise<void> {
    // Of the last ones: those of long ago are over.
    const command = model.commands.at(-1 - (this.which % Math.min(4, model.commands.length)));
    if (!command) throw new Error('There is one');
    const { did } = home.watch;
    const { commandId } = command;
    switch (this.act) {
      case 'sent':
        model.sent(command);
        return world.deliver(replica, replica.get(ApplyCommandMessageHandler), {
          name: 'gateway.remote-command.sent',
          payload: { did, commandId, time: clock },
        });
      case 'begins':
      case 'refuses':
        model.answer(command, this.act === 'begins');
        return this.answer(commandId, command.command);
      case 'cancelled':
        expect(await outcomeOf(() => remote.cancel(home.owner, { did, commandId }))).toBe(model.cancel(command));
        return;
      default: {
        const ok = this.act === 'succeeds';
        const outcome = await outcomeOf(() => remote.report(home.watch.principal, { commandId, ok }));
        expect(outcome).toBe(model.result(command, ok));
      }
    }
  }

  private answer(messageId: string, command: RemoteCommand): Promise<void> {
    const { did } = home.watch;
    const status = this.act === 'begins' ? ('APPLIED' as const) : ('REJECTED' as const);
    const message = { messageId, kind: COMMAND_KIND[command], did, cid: home.cid };
    return world.deliver(replica, replica.get(ApplyCommandMessageHandler), {
      name: 'gateway.message.acknowledged',
      payload: { ...message, by: `watch:${did}`, status, version: null, reason: null },
    });
  }

  override toString = () => `${this.act}(${this.which} before the last)`;
}

class Wait extends Step {
  constructor(private readonly ms: number) {
    super();
  }

  protected override async take(model: CommandsModel): Promise<void> {
    clock += this.ms;
    model.now = clock;
  }

  override toString = () => `wait(${this.ms} ms)`;
}

class Sweep extends Step {
  protected override async take(model: CommandsModel): Promise<void> {
    model.sweep();
    await replica.get(CommandExpiryJob).run(clock);
  }

  override toString = () => 'sweep';
}

class CallForHelp extends Step {
  protected override async take(model: CommandsModel): Promise<void> {
    model.raised((await replica.get(SosService).raise(home.watch.principal, {})).sosId);
  }

  override toString = () => 'the child calls for help';
}

class BusBrings extends Step {
  override check({ onTheBus }: Readonly<CommandsModel>): boolean {
    return onTheBus.length > 0;
  }

  protected override async take(model: CommandsModel): Promise<void> {
    const [sosId = ''] = model.onTheBus;
    model.brought();
    const payload = { familyId: home.familyId, cid: home.cid, did: home.watch.did, sosId, time: clock };
    await world.deliver(replica, replica.get(CancelCommandsOnSosHandler), { name: 'userctx.sos.raised', payload });
  }

  override toString = () => 'the bus brings a call';
}

class Resolve extends Step {
  override check({ sosId }: Readonly<CommandsModel>): boolean {
    return sosId !== null;
  }

  protected override async take(model: CommandsModel): Promise<void> {
    await replica.get(SosService).resolve(home.owner, { cid: home.cid, sosId: model.sosId ?? '' });
    model.sosId = null;
  }

  override toString = () => 'the call is resolved';
}

it('does what the model says, in any order of what may happen, calls for help among it', async () => {
  const act = fc.constantFrom<Act>('sent', 'begins', 'refuses', 'succeeds', 'fails', 'cancelled');
  const kind = fc.constantFrom<RemoteCommand>('SHUTDOWN', 'REBOOT', 'REBOOT', 'FIND');
  const steps: fc.Arbitrary<Step>[] = [
    kind.map((command) => new Give(command)),
    kind.map((command) => new Give(command)),
    fc.tuple(act, fc.nat(3)).map((args) => new With(...args)),
    fc.tuple(act, fc.nat(3)).map((args) => new With(...args)),
    fc.tuple(act, fc.constant(0)).map((args) => new With(...args)),
    fc.constantFrom(1, 119_999, 120_000, 599_999, 600_000).map((ms) => new Wait(ms)),
    fc.constant(new Sweep()),
    fc.constant(new CallForHelp()),
    fc.constant(new BusBrings()),
    fc.constant(new Resolve()),
  ];
  clock = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => clock);
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 30, size: 'max' }), async (walk) => {
      await world.query('delete from userctx.remote_command');
      await world.query('delete from userctx.sos');
      await fc.asyncModelRun(() => ({ model: new CommandsModel(clock), real: {} }), walk);
    }),
    { numRuns: propertyRuns(13) },
  );
});
