import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { COMMAND_KIND, type RemoteCommand } from '@family-watch/domain/watches/contracts/remote-command';
import { COMMAND_RESULT_TIMEOUT_MS } from '../../../src/watches/remote-control/command-state.js';
import { RemoteControlService } from '../../../src/watches/remote-control/remote-control.service.js';
import { SosService } from '../../../src/sos/sos.service.js';
import { WatchBindingService } from '../../../src/watches/binding/watch-binding.service.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx-infrastructure.js';
import { outcomeOf, createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { PASSWORD, WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let remoteControl: RemoteControlService;
let family: BoundFamilyFixture;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a test delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
  remoteControl = replica.get(RemoteControlService);
  family = await createBoundFamily(environment, replica);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await environment.query('DELETE FROM userctx.remote_command');
});
afterAll(() => environment.close());

const errorWith = (reason: string) => expect.objectContaining({ reason });
const stepUp = { password: PASSWORD };
const issue = (command: RemoteCommand) => remoteControl.issue(family.owner, family.watch.did, command);
const reportResult = (commandId: string, ok: boolean, reason?: string) =>
  remoteControl.report(family.watch.principal, { commandId, ok, reason });
const cancel = (commandId: string) => remoteControl.cancel(family.owner, { did: family.watch.did, commandId });
const listCommands = async () => (await remoteControl.list(family.owner, { did: family.watch.did })).items;

async function acknowledge(
  command: RemoteCommand,
  messageId: string,
  status: 'APPLIED' | 'REJECTED' | 'READ',
  by = family,
) {
  const { did } = family.watch;
  const message = { messageId, kind: COMMAND_KIND[command], did, cid: family.cid, version: null, reason: 'busy' };
  await environment.deliver(replica, 'userctx.remote-control.apply-command-message', {
    name: 'gateway.message.acknowledged',
    payload: { ...message, status, by: `watch:${by.watch.did}` },
  });
}

async function markSent(commandId: string) {
  const payload = { did: family.watch.did, commandId, time: Date.now() };
  await environment.deliver(replica, 'userctx.remote-control.apply-command-message', {
    name: 'gateway.remote-command.sent',
    payload,
  });
}

const deliverSos = (payload: DomainEvents['userctx.sos.raised']) =>
  environment.deliver(replica, 'userctx.remote-control.cancel-for-sos', { name: 'userctx.sos.raised', payload });
const raiseSos = async () => {
  const { sosId } = await replica.get(SosService).raise(family.watch.principal, {});
  const { familyId, cid, watch } = family;
  return { familyId, cid, did: watch.did, sosId, time: Date.now() };
};
const resolveSos = ({ sosId }: { sosId: string }) =>
  replica.get(SosService).resolve(family.owner, { cid: family.cid, sosId });

describe('the state of a command', () => {
  test('is QUEUED, SENT, ACKED and DONE in turn, and repeated events change nothing', async () => {
    const { commandId, state } = await issue('REBOOT');
    const states: string[] = [state];
    for (const step of [
      () => markSent(commandId),
      () => acknowledge('REBOOT', commandId, 'APPLIED'),
      () => reportResult(commandId, true),
    ]) {
      await step();
      await step();
      states.push(String((await listCommands())[0]?.state));
    }
    expect(states).toEqual(['QUEUED', 'SENT', 'ACKED', 'DONE']);
    const [event] = await environment.events('userctx.remote-command.queued', family.familyId);
    expect(event).toMatchObject({ commandId, did: family.watch.did, command: 'REBOOT', by: `user:${family.owner.id}` });
  });

  test('is REJECTED with the watch’s reason when the watch rejects the message', async () => {
    const { commandId } = await issue('FIND');
    await acknowledge('FIND', commandId, 'READ');
    expect(await listCommands()).toMatchObject([{ state: 'QUEUED' }]);
    await acknowledge('FIND', commandId, 'REJECTED');
    expect(await listCommands()).toMatchObject([{ commandId, state: 'REJECTED', reason: 'busy' }]);
    await expect(reportResult(commandId, true)).rejects.toEqual(errorWith('COMMAND_STATE'));
  });

  test('is REJECTED when the watch reports a failure, even before its acknowledgement', async () => {
    const { commandId } = await issue('FIND');
    await reportResult(commandId, false, 'no speaker');
    await acknowledge('FIND', commandId, 'APPLIED');
    expect(await listCommands()).toMatchObject([{ state: 'REJECTED', reason: 'no speaker' }]);
  });

  test('is not changed by another watch', async () => {
    const other = await createBoundFamily(environment, replica);
    const { commandId } = await issue('REBOOT');
    await acknowledge('REBOOT', commandId, 'APPLIED', other);
    await expect(remoteControl.report(other.watch.principal, { commandId, ok: true })).rejects.toEqual(
      errorWith('COMMAND_NOT_FOUND'),
    );
    expect(await listCommands()).toMatchObject([{ state: 'QUEUED' }]);
  });
});

test('issuing a command again, even concurrently, returns the pending command until the watch starts it', async () => {
  const issued = await Promise.all([issue('FIND'), issue('FIND'), issue('FIND')]);
  expect(new Set(issued.map(({ commandId }) => commandId)).size).toBe(1);
  const commandId = issued[0]?.commandId ?? '';
  await acknowledge('FIND', commandId, 'APPLIED');
  expect((await issue('FIND')).commandId).not.toBe(commandId);
  expect(
    (await environment.events('userctx.remote-command.queued', family.familyId)).filter(
      (event) => event.commandId === commandId,
    ),
  ).toHaveLength(1);
});

describe('cancelling a command', () => {
  test('publishes one event, even when it is repeated', async () => {
    const { commandId } = await issue('REBOOT');
    await cancel(commandId);
    await cancel(commandId);
    const publishedEvents = await environment.events('userctx.remote-command.cancelled', family.familyId);
    expect(publishedEvents.filter((event) => event.commandId === commandId)).toHaveLength(1);
    await expect(reportResult(commandId, true)).rejects.toEqual(errorWith('COMMAND_STATE'));
  });

  test('is rejected once the watch has started the command', async () => {
    const { commandId } = await issue('REBOOT');
    await acknowledge('REBOOT', commandId, 'APPLIED');
    await expect(cancel(commandId)).rejects.toEqual(errorWith('COMMAND_STATE'));
  });

  test('is rejected if a concurrent result is accepted, and succeeds otherwise', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { commandId } = await issue('REBOOT');
      const [cancelled, done] = await Promise.all([
        outcomeOf(() => cancel(commandId)),
        outcomeOf(() => reportResult(commandId, true)),
      ]);
      expect([cancelled, done].toSorted()).toEqual(['COMMAND_STATE', 'ok']);
      expect((await listCommands())[0]?.state).toBe(cancelled === 'ok' ? 'CANCELLED' : 'DONE');
    }
  });
});

describe('expiry of commands', () => {
  const setTime = (time: number) => jest.spyOn(Date, 'now').mockReturnValue(time);

  test.each([
    ['SHUTDOWN', 600_000],
    ['REBOOT', 600_000],
    ['FIND', 120_000],
  ] as const)('%s expires after %i ms and can then be issued again', async (command, ttlMs) => {
    const { commandId, queuedAt, expiresAt } = await issue(command);
    expect(expiresAt - queuedAt).toBe(ttlMs);
    await replica.get(RemoteControlService).expireDue(expiresAt - 1);
    expect(await listCommands()).toMatchObject([{ state: 'QUEUED' }]);
    setTime(expiresAt);
    // The command is treated as expired even before the expiry job runs: an SOS does not cancel it.
    const sos = await raiseSos();
    await deliverSos(sos);
    await resolveSos(sos);
    await expect(reportResult(commandId, true)).rejects.toEqual(errorWith('COMMAND_STATE'));
    await expect(cancel(commandId)).rejects.toEqual(errorWith('COMMAND_STATE'));
    expect((await issue(command)).commandId).not.toBe(commandId);
    expect((await listCommands()).map(({ state }) => state)).toEqual(['QUEUED', 'EXPIRED']);
  });

  test('happens to a command that the watch started only if the watch does not report its result in time', async () => {
    const { commandId, expiresAt } = await issue('FIND');
    setTime(expiresAt - 1);
    await acknowledge('FIND', commandId, 'APPLIED');
    await replica.get(RemoteControlService).expireDue(expiresAt + COMMAND_RESULT_TIMEOUT_MS - 2);
    expect(await listCommands()).toMatchObject([{ state: 'ACKED' }]);
    await replica.get(RemoteControlService).expireDue(expiresAt + COMMAND_RESULT_TIMEOUT_MS);
    expect(await listCommands()).toMatchObject([{ state: 'EXPIRED' }]);
  });
});

test('binding a watch to another child expires the commands of the previous child', async () => {
  const rebound = await createBoundFamily(environment, replica);
  const before = await remoteControl.issue(rebound.owner, rebound.watch.did, 'REBOOT');
  await replica.get(WatchBindingService).unbind(rebound.owner, rebound.watch.did);
  await rebound.watch.bindTo(replica, family.owner, await environment.createChild(replica, family.owner));
  const after = await remoteControl.issue(family.owner, rebound.watch.did, 'REBOOT');
  expect(after.commandId).not.toBe(before.commandId);
  const states = await environment.query('SELECT state FROM userctx.remote_command WHERE did = $1 ORDER BY queued_at', [
    rebound.watch.did,
  ]);
  expect(states).toEqual([{ state: 'EXPIRED' }, { state: 'QUEUED' }]);
  // A family sees only the commands that its own members issued to the watch.
  expect((await remoteControl.list(family.owner, { did: rebound.watch.did })).items).toHaveLength(1);
  await expect(
    remoteControl.report(rebound.watch.principal, { commandId: before.commandId, ok: true }),
  ).rejects.toEqual(errorWith('COMMAND_NOT_FOUND'));
});

describe('issuing a command', () => {
  test('requires a step-up for a shutdown, after the permissions were checked', async () => {
    const { did } = family.watch;
    await expect(remoteControl.shutDown(family.owner, did, undefined)).rejects.toEqual(errorWith('STEP_UP_REQUIRED'));
    await expect(remoteControl.shutDown(family.owner, did, { password: 'wrong' })).rejects.toEqual(
      errorWith('STEP_UP_REQUIRED'),
    );
    expect(await remoteControl.shutDown(family.owner, did, stepUp)).toMatchObject({
      command: 'SHUTDOWN',
      state: 'QUEUED',
    });
    const stranger = await environment.createPerson(replica);
    await expect(remoteControl.shutDown(stranger, did, undefined)).rejects.toEqual(errorWith('WATCH_NOT_FOUND'));
    await expect(remoteControl.issue(family.watch.principal, did, 'FIND')).rejects.toEqual(
      errorWith('PERMISSION_MISSING'),
    );
  });

  test('is rejected for shutdowns and reboots during an SOS, which also cancels pending ones', async () => {
    const pending = [await issue('REBOOT'), await issue('FIND')];
    const sos = await raiseSos();
    await deliverSos(sos);
    const states = new Map((await listCommands()).map(({ commandId, state }) => [commandId, state]));
    expect(pending.map(({ commandId }) => states.get(commandId))).toEqual(['CANCELLED', 'QUEUED']);
    await expect(issue('REBOOT')).rejects.toEqual(errorWith('SOS_ACTIVE'));
    await expect(remoteControl.shutDown(family.owner, family.watch.did, stepUp)).rejects.toEqual(
      errorWith('SOS_ACTIVE'),
    );
    expect(await issue('FIND')).toMatchObject({ state: 'QUEUED' });
    await resolveSos(sos);
    const { commandId } = await issue('REBOOT');
    // The event arrives late: it must not cancel commands issued after the resolution of the SOS.
    await deliverSos(sos);
    expect((await listCommands()).find((command) => command.commandId === commandId)?.state).toBe('QUEUED');
  });

  test('is cancelled by an SOS unless the watch has started the command, and the cancellation is published once', async () => {
    const shutDown = await remoteControl.shutDown(family.owner, family.watch.did, stepUp);
    await markSent(shutDown.commandId);
    const { commandId } = await issue('REBOOT');
    await acknowledge('REBOOT', commandId, 'APPLIED');
    const sos = await raiseSos();
    for (const _ of ['once', 'repeated']) await deliverSos(sos);
    const states = new Map((await listCommands()).map((command) => [command.commandId, command.state]));
    expect([states.get(shutDown.commandId), states.get(commandId)]).toEqual(['CANCELLED', 'ACKED']);
    const cancelled = await environment.events('userctx.remote-command.cancelled', family.familyId);
    expect(cancelled.filter((one) => one.commandId === shutDown.commandId)).toHaveLength(1);
    await resolveSos(sos);
  });
});

test('an SOS that waits for a command in use has not locked a command with a higher id', async () => {
  const [low, high] = ['00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-4fff-8fff-ffffffffffff'];
  // The reboot is stored before the shutdown, so that a statement without an order locks it first.
  await issue('REBOOT');
  await environment.query('UPDATE userctx.remote_command SET command_id = $1', [high]);
  const { commandId } = await remoteControl.shutDown(family.owner, family.watch.did, stepUp);
  await environment.query('UPDATE userctx.remote_command SET command_id = $1 WHERE command_id = $2', [low, commandId]);
  const sos = await raiseSos();
  const lockCommand = 'SELECT 1 FROM userctx.remote_command WHERE command_id = $1 FOR UPDATE';
  const [lowLocked, handlerWaits] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transaction = replica.get(UserctxUnitOfWork);
  const user = transaction.run(async () => {
    await transaction.executor.query(lockCommand, [low]);
    lowLocked.resolve();
    await handlerWaits.promise;
    await transaction.executor.query(`${lockCommand} nowait`, [high]);
  });
  await lowLocked.promise;
  const delivery = deliverSos(sos);
  await environment.waitForBlockedStatement();
  handlerWaits.resolve();
  await expect(user).resolves.toBeUndefined();
  await delivery;
  await resolveSos(sos);
});

test('a page of the list of commands continues after the cursor', async () => {
  for (let round = 0; round < 5; round += 1) await reportResult((await issue('FIND')).commandId, true);
  const { did } = family.watch;
  const first = await remoteControl.list(family.owner, { did, limit: 3 });
  const second = await remoteControl.list(family.owner, { did, limit: 3, cursor: first.nextCursor ?? '' });
  const fullList = await remoteControl.list(family.owner, { did });
  expect([...first.items, ...second.items]).toEqual(fullList.items);
  expect([fullList.items.length, second.nextCursor]).toEqual([5, null]);
});

test('erasing a child deletes its remote commands', async () => {
  await issue('FIND');
  await environment.deliverErasure(replica, 'userctx.remote-control.erase-child', family);
  expect(await listCommands()).toEqual([]);
});
