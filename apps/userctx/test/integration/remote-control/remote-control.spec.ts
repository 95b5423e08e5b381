import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { COMMAND_KIND } from '@family-watch/domain/remote-control/contracts/remote-command';
import type { RemoteCommand } from '@family-watch/domain/remote-control/contracts/remote-control.events';
import { COMMAND_RESULT_TIMEOUT_MS } from '../../../src/contexts/remote-control/command-state.js';
import { CommandExpiryJob } from '../../../src/contexts/remote-control/command-expiry.job.js';
import { EraseChildCommandsHandler } from '../../../src/contexts/remote-control/erase-child-commands.handler.js';
import { ApplyCommandMessageHandler } from '../../../src/contexts/remote-control/apply-command-message.handler.js';
import { CancelCommandsOnSosHandler } from '../../../src/contexts/remote-control/cancel-commands-on-sos.handler.js';
import { RemoteControlService } from '../../../src/contexts/remote-control/remote-control.service.js';
import { SosService } from '../../../src/contexts/sos/sos.service.js';
import { WatchBindingService } from '../../../src/contexts/watches/binding/watch-binding.service.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { PASSWORD, WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let remote: RemoteControlService;
let home: BoundFamilyFixture;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The tests say when an event reaches its handlers.
  replica = await world.replica({}, { relay: true });
  remote = replica.get(RemoteControlService);
  home = await createBoundFamily(world, replica);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await world.query('delete from userctx.remote_command');
});
afterAll(() => world.close());

const refused = (reason: string) => expect.objectContaining({ reason });
const stepUp = { password: PASSWORD };
const give = (command: RemoteCommand) => remote.issue(home.owner, home.watch.did, command);
const report = (commandId: string, ok: boolean, reason?: string) =>
  remote.report(home.watch.principal, { commandId, ok, reason });
const cancel = (commandId: string) => remote.cancel(home.owner, { did: home.watch.did, commandId });
const listed = async () => (await remote.list(home.owner, { did: home.watch.did })).items;

async function answer(command: RemoteCommand, messageId: string, status: 'APPLIED' | 'REJECTED' | 'READ', by = home) {
  const { did } = home.watch;
  const said = { messageId, kind: COMMAND_KIND[command], did, cid: home.cid, status, version: null, reason: 'busy' };
  await world.deliver(replica, replica.get(ApplyCommandMessageHandler), {
    name: 'gateway.message.acknowledged',
    payload: { ...said, by: `watch:${by.watch.did}` },
  });
}

async function sent(commandId: string) {
  const payload = { did: home.watch.did, commandId, time: Date.now() };
  await world.deliver(replica, replica.get(ApplyCommandMessageHandler), {
    name: 'gateway.remote-command.sent',
    payload,
  });
}

describe('the way of a command', () => {
  it('is queued, sent, begun and done, and a repetition of each changes nothing', async () => {
    const { commandId, state } = await give('REBOOT');
    const states: string[] = [state];
    for (const step of [
      () => sent(commandId),
      () => answer('REBOOT', commandId, 'APPLIED'),
      () => report(commandId, true),
    ]) {
      await step();
      await step();
      states.push(String((await listed())[0]?.state));
    }
    expect(states).toEqual(['QUEUED', 'SENT', 'ACKED', 'DONE']);
    const [fact] = await world.events('userctx.remote-command.queued', home.familyId);
    expect(fact).toMatchObject({ commandId, did: home.watch.did, command: 'REBOOT', by: `user:${home.owner.id}` });
  });

  it('is rejected by the answer to the message, with the reason', async () => {
    const { commandId } = await give('FIND');
    await answer('FIND', commandId, 'READ');
    expect(await listed()).toMatchObject([{ state: 'QUEUED' }]);
    await answer('FIND', commandId, 'REJECTED');
    expect(await listed()).toMatchObject([{ commandId, state: 'REJECTED', reason: 'busy' }]);
    await expect(report(commandId, true)).rejects.toEqual(refused('COMMAND_STATE'));
  });

  it('fails with the result, which may overtake the answer', async () => {
    const { commandId } = await give('FIND');
    await report(commandId, false, 'no speaker');
    await answer('FIND', commandId, 'APPLIED');
    expect(await listed()).toMatchObject([{ state: 'REJECTED', reason: 'no speaker' }]);
  });

  it('another watch moves nothing', async () => {
    const other = await createBoundFamily(world, replica);
    const { commandId } = await give('REBOOT');
    await answer('REBOOT', commandId, 'APPLIED', other);
    await expect(remote.report(other.watch.principal, { commandId, ok: true })).rejects.toEqual(
      refused('COMMAND_NOT_FOUND'),
    );
    expect(await listed()).toMatchObject([{ state: 'QUEUED' }]);
  });
});

it('one that the watch has not begun is not given twice, also at once; a begun one is', async () => {
  const given = await Promise.all([give('FIND'), give('FIND'), give('FIND')]);
  expect(new Set(given.map(({ commandId }) => commandId)).size).toBe(1);
  const commandId = given[0]?.commandId ?? '';
  await answer('FIND', commandId, 'APPLIED');
  expect((await give('FIND')).commandId).not.toBe(commandId);
  expect(
    (await world.events('userctx.remote-command.queued', home.familyId)).filter((fact) => fact.commandId === commandId),
  ).toHaveLength(1);
});

describe('taking it back', () => {
  it('is told once', async () => {
    const { commandId } = await give('REBOOT');
    await cancel(commandId);
    await cancel(commandId);
    const told = await world.events('userctx.remote-command.cancelled', home.familyId);
    expect(told.filter((fact) => fact.commandId === commandId)).toHaveLength(1);
    await expect(report(commandId, true)).rejects.toEqual(refused('COMMAND_STATE'));
  });

  it('comes too late once the watch has begun', async () => {
    const { commandId } = await give('REBOOT');
    await answer('REBOOT', commandId, 'APPLIED');
    await expect(cancel(commandId)).rejects.toEqual(refused('COMMAND_STATE'));
  });

  it('races with the watch: one of the two wins', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { commandId } = await give('REBOOT');
      const [cancelled, done] = await Promise.all([
        outcomeOf(() => cancel(commandId)),
        outcomeOf(() => report(commandId, true)),
      ]);
      expect([cancelled, done].toSorted()).toEqual(['COMMAND_STATE', 'ok']);
      expect((await listed())[0]?.state).toBe(cancelled === 'ok' ? 'CANCELLED' : 'DONE');
    }
  });
});

describe('time', () => {
  const at = (time: number) => jest.spyOn(Date, 'now').mockReturnValue(time);

  it.each([
    ['SHUTDOWN', 600_000],
    ['REBOOT', 600_000],
    ['FIND', 120_000],
  ] as const)('%s expires after %i ms, and then can be given again', async (command, lifetime) => {
    const { commandId, queuedAt, expiresAt } = await give(command);
    expect(expiresAt - queuedAt).toBe(lifetime);
    await replica.get(CommandExpiryJob).run(expiresAt - 1);
    expect(await listed()).toMatchObject([{ state: 'QUEUED' }]);
    at(expiresAt);
    // Before the sweep has come by:
    await expect(report(commandId, true)).rejects.toEqual(refused('COMMAND_STATE'));
    await expect(cancel(commandId)).rejects.toEqual(refused('COMMAND_STATE'));
    expect((await give(command)).commandId).not.toBe(commandId);
    expect((await listed()).map(({ state }) => state)).toEqual(['QUEUED', 'EXPIRED']);
  });

  it('a watch that has begun has time to say what came of it', async () => {
    const { commandId, expiresAt } = await give('FIND');
    at(expiresAt - 1);
    await world.deliver(replica, replica.get(ApplyCommandMessageHandler), {
      name: 'gateway.message.acknowledged',
      payload: {
        by: `watch:${home.watch.did}`,
        messageId: commandId,
        kind: 'RemoteControlFindNoticeMessage',
        did: home.watch.did,
        cid: home.cid,
        status: 'APPLIED',
        version: null,
        reason: null,
      },
    });
    await replica.get(CommandExpiryJob).run(expiresAt + COMMAND_RESULT_TIMEOUT_MS - 2);
    expect(await listed()).toMatchObject([{ state: 'ACKED' }]);
    await replica.get(CommandExpiryJob).run(expiresAt + COMMAND_RESULT_TIMEOUT_MS);
    expect(await listed()).toMatchObject([{ state: 'EXPIRED' }]);
  });
});

it('what a watch was told while it acted as another child ends, and is not in the way', async () => {
  const moved = await createBoundFamily(world, replica);
  const before = await remote.issue(moved.owner, moved.watch.did, 'REBOOT');
  await replica.get(WatchBindingService).unbind(moved.owner, moved.watch.did);
  await moved.watch.bindTo(replica, home.owner, await world.child(replica, home.owner));
  const after = await remote.issue(home.owner, moved.watch.did, 'REBOOT');
  expect(after.commandId).not.toBe(before.commandId);
  const states = await world.query('select state from userctx.remote_command where did = $1 order by queued_at', [
    moved.watch.did,
  ]);
  expect(states).toEqual([{ state: 'EXPIRED' }, { state: 'QUEUED' }]);
  // Neither family sees what the other one said.
  expect((await remote.list(home.owner, { did: moved.watch.did })).items).toHaveLength(1);
  await expect(remote.report(moved.watch.principal, { commandId: before.commandId, ok: true })).rejects.toEqual(
    refused('COMMAND_NOT_FOUND'),
  );
});

describe('what is asked before', () => {
  it('a shutdown needs a step-up, and who may not is refused before it is looked at', async () => {
    const { did } = home.watch;
    await expect(remote.shutDown(home.owner, did, undefined)).rejects.toEqual(refused('STEP_UP_REQUIRED'));
    await expect(remote.shutDown(home.owner, did, { password: 'wrong' })).rejects.toEqual(refused('STEP_UP_REQUIRED'));
    expect(await remote.shutDown(home.owner, did, stepUp)).toMatchObject({ command: 'SHUTDOWN', state: 'QUEUED' });
    const stranger = await world.person(replica);
    await expect(remote.shutDown(stranger, did, undefined)).rejects.toEqual(refused('WATCH_NOT_FOUND'));
    await expect(remote.issue(home.watch.principal, did, 'FIND')).rejects.toEqual(refused('PERMISSION_MISSING'));
  });

  it('a child who calls for help keeps the watch: nothing silences it, also not what was given before', async () => {
    const waiting = [await give('REBOOT'), await give('FIND')];
    const { sosId } = await replica.get(SosService).raise(home.watch.principal, {});
    const [fact] = await world.events('userctx.sos.raised', home.familyId);
    if (!fact) throw new Error('Nothing was told');
    await world.deliver(replica, replica.get(CancelCommandsOnSosHandler), {
      name: 'userctx.sos.raised',
      payload: fact,
    });
    const states = new Map((await listed()).map(({ commandId, state }) => [commandId, state]));
    expect(waiting.map(({ commandId }) => states.get(commandId))).toEqual(['CANCELLED', 'QUEUED']);
    await expect(give('REBOOT')).rejects.toEqual(refused('SOS_ACTIVE'));
    await expect(remote.shutDown(home.owner, home.watch.did, stepUp)).rejects.toEqual(refused('SOS_ACTIVE'));
    expect(await give('FIND')).toMatchObject({ state: 'QUEUED' });
    await replica.get(SosService).resolve(home.owner, { cid: home.cid, sosId });
    expect(await give('REBOOT')).toMatchObject({ state: 'QUEUED' });
  });
});

it('pages go on where they ended', async () => {
  for (let round = 0; round < 5; round += 1) await report((await give('FIND')).commandId, true);
  const { did } = home.watch;
  const first = await remote.list(home.owner, { did, limit: 3 });
  const second = await remote.list(home.owner, { did, limit: 3, cursor: first.nextCursor ?? '' });
  const whole = await remote.list(home.owner, { did });
  expect([...first.items, ...second.items]).toEqual(whole.items);
  expect([whole.items.length, second.nextCursor]).toEqual([5, null]);
});

it('of an erased child nothing is kept', async () => {
  await give('FIND');
  const payload = { familyId: home.familyId, cid: home.cid };
  await world.deliver(replica, replica.get(EraseChildCommandsHandler), { name: 'userctx.child.erased', payload });
  expect(await listed()).toEqual([]);
});
