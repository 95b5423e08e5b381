import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { TestingModule } from '@nestjs/testing';
import fc from 'fast-check';
import { CommandExpiryJob } from '../../../src/contexts/remote-control/command-expiry.job.js';
import { OnCommandMessageHandler } from '../../../src/contexts/remote-control/on-command-message.handler.js';
import { RemoteControlService } from '../../../src/contexts/remote-control/remote-control.service.js';
import { outcomeOf, settleHome } from '../../support/bound-home.js';
import type { BoundHome } from '../../support/bound-home.js';
import { WatchesWorld } from '../../support/watches-world.js';

jest.setTimeout(60_000);

let world: WatchesWorld;
let replica: TestingModule;
let remote: RemoteControlService;
let home: BoundHome;

beforeAll(async () => {
  world = await WatchesWorld.open();
  replica = await world.replica();
  remote = replica.get(RemoteControlService);
  home = await settleHome(world, replica);
});
afterAll(() => world.close());

/** What a command is said to be, kept apart from the table: whether the watch may still begin, and how it ended. */
class Model {
  begun = false;
  sent = false;
  end: string | null = null;

  get state(): string {
    return this.end ?? (this.begun ? 'ACKED' : this.sent ? 'SENT' : 'QUEUED');
  }

  take(what: string): string {
    const open = this.end === null;
    switch (what) {
      case 'sent':
        this.sent ||= open && !this.begun;
        return 'ok';
      case 'begins':
        this.begun ||= open;
        return 'ok';
      case 'refuses':
        if (open) this.end = 'REJECTED';
        return 'ok';
      case 'expires':
        if (open) this.end = 'EXPIRED';
        return 'ok';
      case 'cancelled':
        if (open && !this.begun) this.end = 'CANCELLED';
        return this.end === 'CANCELLED' ? 'ok' : 'COMMAND_STATE';
      default: {
        const wanted = what === 'succeeds' ? 'DONE' : 'REJECTED';
        if (open) this.end = wanted;
        return this.end === wanted ? 'ok' : 'COMMAND_STATE';
      }
    }
  }
}

const STEPS = ['sent', 'begins', 'refuses', 'succeeds', 'fails', 'cancelled', 'expires'] as const;

it('does what the model says, in any order of what may happen, twice or not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { maxLength: 8 }), async (steps) => {
      await world.query('delete from userctx.remote_command');
      const { commandId } = await remote.give(home.owner, home.watch.did, 'REBOOT');
      const model = new Model();
      for (const step of steps) {
        const outcome = await outcomeOf(() => perform(step, commandId));
        expect([step, outcome]).toEqual([step, model.take(step)]);
        const [{ state } = { state: 'none' }] = (await remote.list(home.owner, { did: home.watch.did })).items;
        expect([step, state]).toEqual([step, model.state]);
      }
      const told = await world.events('userctx.remote-command.cancelled', home.familyId);
      const cancellations = told.filter((fact) => fact.commandId === commandId).length;
      expect(cancellations).toBe(model.end === 'CANCELLED' ? 1 : 0);
    }),
    { numRuns: 60 },
  );
});

async function perform(step: (typeof STEPS)[number], commandId: string): Promise<void> {
  const { did } = home.watch;
  switch (step) {
    case 'sent':
      return world.deliver(replica, replica.get(OnCommandMessageHandler), {
        name: 'gateway.remote-command.sent',
        payload: { did, commandId, time: Date.now() },
      });
    case 'begins':
    case 'refuses':
      return world.deliver(replica, replica.get(OnCommandMessageHandler), {
        name: 'gateway.message.acknowledged',
        payload: {
          ...{ by: `watch:${did}`, messageId: commandId, kind: 'RemoteControlRebootNoticeMessage', did, cid: home.cid },
          ...{ status: step === 'begins' ? 'APPLIED' : 'REJECTED', version: null, reason: null },
        },
      });
    case 'expires':
      await replica.get(CommandExpiryJob).run(Date.now() + 3_600_000);
      return;
    case 'cancelled':
      return remote.cancel(home.owner, { did, commandId });
    default:
      return remote.report(home.watch.principal, { commandId, ok: step === 'succeeds' });
  }
}
