import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { COMMAND_KIND } from '@family-watch/domain/remote-control/contracts/remote-command';
import type { RemoteCommand } from '@family-watch/domain/remote-control/contracts/remote-command';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import {
  COMMAND_EXPIRY_JOB,
  RemoteControlService,
} from '../../../src/contexts/remote-control/remote-control.service.js';
import { SosService } from '../../../src/contexts/sos/sos.service.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { PASSWORD, WatchesTestEnvironment } from '../../support/watches-test-environment.js';
import { CommandsModel } from './commands-model.js';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let remoteControl: RemoteControlService;
let family: BoundFamilyFixture;
let clock: number;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The job and the outbox relay are disabled: only steps of the model expire commands and deliver events.
  replica = await environment.replica({}, { disabledJobs: [COMMAND_EXPIRY_JOB], isRelayDisabled: true });
  remoteControl = replica.get(RemoteControlService);
  family = await createBoundFamily(environment, replica);
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => environment.close());

/** The steps need no state besides the model, because all of them act on one watch and its guardians. */
type EmptyState = Readonly<Record<string, never>>;

async function checkAgainstModel(model: CommandsModel): Promise<void> {
  const { items } = await remoteControl.list(family.owner, { did: family.watch.did, limit: 200 });
  const listed = items.map(({ commandId, state }) => [commandId, state]).toSorted();
  expect(listed).toEqual(model.commands.map((command) => [command.commandId, model.stateOf(command)]).toSorted());
  const publishedEvents = await environment.events('userctx.remote-command.cancelled', family.familyId);
  const cancelled = model.commands
    .filter(({ finalState }) => finalState === 'CANCELLED')
    .map(({ commandId }) => commandId);
  const modelIds = new Set(model.commands.map(({ commandId }) => commandId));
  const cancelledIds = publishedEvents.map(({ commandId }) => commandId).filter((commandId) => modelIds.has(commandId));
  expect(cancelledIds.toSorted()).toEqual(cancelled.toSorted());
  // The model does not cover the limit of password attempts, so the counters are deleted after each step.
  await environment.query('delete from userctx.attempt_counter');
}

abstract class Step implements fc.AsyncCommand<CommandsModel, EmptyState> {
  check(_: Readonly<CommandsModel>): boolean {
    return true;
  }

  async run(model: CommandsModel): Promise<void> {
    await this.execute(model);
    await checkAgainstModel(model);
  }

  protected abstract execute(model: CommandsModel): Promise<void>;
}

class IssueCommand extends Step {
  constructor(private readonly command: RemoteCommand) {
    super();
  }

  protected override async execute(model: CommandsModel): Promise<void> {
    const expected = model.issue(this.command);
    let commandId = '';
    const outcome = await outcomeOf(async () => {
      ({ commandId } = await this.issueCommand());
    });
    if (expected === 'SOS_ACTIVE') {
      expect(outcome).toBe('SOS_ACTIVE');
      return;
    }
    expect(outcome).toBe('ok');
    if (expected) expect(commandId).toBe(expected.commandId);
    else model.add(commandId, this.command);
  }

  private issueCommand() {
    const { did } = family.watch;
    if (this.command === 'SHUTDOWN') return remoteControl.shutDown(family.owner, did, { password: PASSWORD });
    return remoteControl.issue(family.owner, did, this.command);
  }

  override toString = () => `issue ${this.command}`;
}

type CommandAction = 'markSent' | 'start' | 'reject' | 'reportSuccess' | 'reportFailure' | 'cancel';

class ActOnCommand extends Step {
  constructor(
    private readonly action: CommandAction,
    private readonly offset: number,
  ) {
    super();
  }

  override check({ commands }: Readonly<CommandsModel>): boolean {
    return commands.length > 0;
  }

  protected override async execute(model: CommandsModel): Promise<void> {
    // The step uses one of the last four commands, because older commands have ended.
    const command = model.commands.at(-1 - (this.offset % Math.min(4, model.commands.length)));
    if (!command) throw new Error('The model has no command');
    const { did } = family.watch;
    const { commandId } = command;
    switch (this.action) {
      case 'markSent':
        model.markSent(command);
        return environment.deliver(replica, 'userctx.remote-control.follow-message', {
          name: 'gateway.remote-command.sent',
          payload: { did, commandId, time: clock },
        });
      case 'start':
      case 'reject':
        model.acknowledge(command, this.action === 'start');
        return this.acknowledge(commandId, command.command);
      case 'cancel':
        expect(await outcomeOf(() => remoteControl.cancel(family.owner, { did, commandId }))).toBe(
          model.cancel(command),
        );
        return;
      default: {
        const ok = this.action === 'reportSuccess';
        const outcome = await outcomeOf(() => remoteControl.report(family.watch.principal, { commandId, ok }));
        expect(outcome).toBe(model.reportResult(command, ok));
      }
    }
  }

  private acknowledge(messageId: string, command: RemoteCommand): Promise<void> {
    const { did } = family.watch;
    const status = this.action === 'start' ? ('APPLIED' as const) : ('REJECTED' as const);
    const message = { messageId, kind: COMMAND_KIND[command], did, cid: family.cid };
    return environment.deliver(replica, 'userctx.remote-control.follow-message', {
      name: 'gateway.message.acknowledged',
      payload: { ...message, by: `watch:${did}`, status, version: null, reason: null },
    });
  }

  override toString = () => `${this.action} (${this.offset} before the last)`;
}

class Wait extends Step {
  constructor(private readonly ms: number) {
    super();
  }

  protected override async execute(model: CommandsModel): Promise<void> {
    clock += this.ms;
    model.now = clock;
  }

  override toString = () => `wait(${this.ms} ms)`;
}

class RunExpiryJob extends Step {
  protected override async execute(model: CommandsModel): Promise<void> {
    model.expire();
    await replica.get(RemoteControlService).expireDue(clock);
  }

  override toString = () => 'run the expiry job';
}

class RaiseSos extends Step {
  protected override async execute(model: CommandsModel): Promise<void> {
    model.raiseSos((await replica.get(SosService).raise(family.watch.principal, {})).sosId);
  }

  override toString = () => 'the child raises an SOS';
}

class DeliverSosEvent extends Step {
  override check({ undeliveredSosIds }: Readonly<CommandsModel>): boolean {
    return undeliveredSosIds.length > 0;
  }

  protected override async execute(model: CommandsModel): Promise<void> {
    const [sosId = ''] = model.undeliveredSosIds;
    model.deliverSos();
    const payload = { familyId: family.familyId, cid: family.cid, did: family.watch.did, sosId, time: clock };
    await environment.deliver(replica, 'userctx.remote-control.cancel-for-sos', {
      name: 'userctx.sos.raised',
      payload,
    });
  }

  override toString = () => 'deliver the SOS event';
}

class ResolveSos extends Step {
  override check({ sosId }: Readonly<CommandsModel>): boolean {
    return sosId !== null;
  }

  protected override async execute(model: CommandsModel): Promise<void> {
    await replica.get(SosService).resolve(family.owner, { cid: family.cid, sosId: model.sosId ?? '' });
    model.sosId = null;
  }

  override toString = () => 'resolve the SOS';
}

test('remote commands match the model for any sequence of steps, including SOS calls', async () => {
  const action = fc.constantFrom<CommandAction>(
    'markSent',
    'start',
    'reject',
    'reportSuccess',
    'reportFailure',
    'cancel',
  );
  const kind = fc.constantFrom<RemoteCommand>('SHUTDOWN', 'REBOOT', 'REBOOT', 'FIND');
  const steps: fc.Arbitrary<Step>[] = [
    kind.map((command) => new IssueCommand(command)),
    kind.map((command) => new IssueCommand(command)),
    fc.tuple(action, fc.nat(3)).map((parameters) => new ActOnCommand(...parameters)),
    fc.tuple(action, fc.nat(3)).map((parameters) => new ActOnCommand(...parameters)),
    fc.tuple(action, fc.constant(0)).map((parameters) => new ActOnCommand(...parameters)),
    fc.constantFrom(1, 119_999, 120_000, 599_999, 600_000).map((ms) => new Wait(ms)),
    fc.constant(new RunExpiryJob()),
    fc.constant(new RaiseSos()),
    fc.constant(new DeliverSosEvent()),
    fc.constant(new ResolveSos()),
  ];
  clock = Date.now();
  jest.spyOn(Date, 'now').mockImplementation(() => clock);
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 30, size: 'max' }), async (commands) => {
      await environment.query('delete from userctx.remote_command');
      await environment.query('delete from userctx.sos');
      await fc.asyncModelRun(() => ({ model: new CommandsModel(clock), real: {} }), commands);
    }),
    { numRuns: propertyRuns(13) },
  );
});
