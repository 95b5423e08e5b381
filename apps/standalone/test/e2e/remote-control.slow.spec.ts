import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/message-kinds';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';

interface Command {
  commandId: string;
  state: string;
}

const COMMANDS = [
  ['shutdown', 'RemoteControlShutdownNoticeMessage'],
  ['reboot', 'RemoteControlRebootNoticeMessage'],
  ['find', 'RemoteControlFindNoticeMessage'],
] as const;

describe('remote commands', () => {
  let service: TestService;
  let fixture: FamilyFixture;
  let did: number;
  let parent: TestClient;
  let watch: TestClient;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    fixture = await FamilyFixture.create(service);
    did = fixture.watch.did;
    parent = await fixture.owner.connect();
    watch = await fixture.watch.connect();
  });
  afterEach(() => fixture.disconnectAll());

  async function createCommand(command: string): Promise<Command> {
    const stepUp = command === 'shutdown' ? { stepUp: await fixture.owner.stepUp() } : {};
    return expectOk(fixture.owner.post<Command>(`device/remote-control/${command}`, { did, ...stepUp }));
  }

  async function waitForMessage(socket: TestClient, kind: string): Promise<MessageEnvelope> {
    await socket.waitFor(() => socket.messagesOfKind(kind).length > 0, kind);
    return socket.messagesOfKind(kind)[0] as MessageEnvelope;
  }

  function waitForState(commandId: string, state: string): Promise<void> {
    return waitUntil(`${commandId} to be ${state}`, async () => {
      const { items } = await expectOk(fixture.owner.get<{ items: Command[] }>('device/remote-control/list', { did }));
      return items.find((command) => command.commandId === commandId)?.state === state;
    });
  }

  const report = (commandId: string, ok: boolean) =>
    fixture.watch.post(`${WATCH_PATH}command/result`, { commandId, ok });

  describe.each(COMMANDS)('the command %s', (command, kind) => {
    test('is delivered only to the watch, and the guardian sees each state until DONE', async () => {
      const { commandId, state } = await createCommand(command);
      expect(state).toBe('QUEUED');
      const message = await waitForMessage(watch, kind);
      expect(message).toMatchObject({ kind, did, cid: fixture.cid, from: { type: 'system' }, payload: { commandId } });
      await waitForState(commandId, 'SENT');
      expect(await watch.send('AckMessage', { messageId: message.id, status: 'APPLIED' })).toMatchObject({ ok: true });
      await waitForState(commandId, 'ACKED');
      await expectOk(report(commandId, true));
      await waitForState(commandId, 'DONE');
      expect(parent.messagesOfKind(kind)).toEqual([]);
      expect(watch.messagesOfKind(kind)).toHaveLength(1);
    });
  });

  test('a cancelled command is not delivered to a watch that reconnects', async () => {
    watch.close();
    const cancelled = await createCommand('reboot');
    // Cancels one command immediately, when it may not have been sent yet, and one after it was sent.
    await expectOk(fixture.owner.post('device/remote-control/cancel', { did, commandId: cancelled.commandId }));
    const sent = await createCommand('reboot');
    await waitForState(sent.commandId, 'SENT');
    await expectOk(fixture.owner.post('device/remote-control/cancel', { did, commandId: sent.commandId }));
    const kept = await createCommand('find');
    await waitForState(kept.commandId, 'SENT');
    const again = await fixture.watch.connect();
    expect(await waitForMessage(again, 'RemoteControlFindNoticeMessage')).toMatchObject({
      payload: { commandId: kept.commandId },
    });
    expect(again.messagesOfKind('RemoteControlRebootNoticeMessage')).toEqual([]);
    expect(await report(sent.commandId, true)).toMatchObject({ status: 409, body: { reason: 'COMMAND_STATE' } });
  });

  test('A14 unknown command names are rejected', async () => {
    for (const command of ['listen', 'monitor', 'snapshot', 'capture', 'microphone', 'camera', 'SHUTDOWN', 'answer']) {
      const answer = await fixture.owner.post(`device/remote-control/${command}`, { did });
      expect([command, answer.status]).toEqual([command, 404]);
    }
  });

  test('a pending shutdown is not delivered after the child raised an SOS', async () => {
    watch.close();
    const { commandId } = await createCommand('shutdown');
    await waitForState(commandId, 'SENT');
    const { sosId } = await expectOk(fixture.watch.post<{ sosId: string }>(`${WATCH_PATH}sos/raise`, {}));
    await waitForState(commandId, 'CANCELLED');
    const stepUp = await fixture.owner.stepUp();
    const again = await fixture.owner.post('device/remote-control/shutdown', { did, stepUp });
    expect(again).toMatchObject({ status: 409, body: { reason: 'SOS_ACTIVE' } });
    const found = await createCommand('find');
    await waitForState(found.commandId, 'SENT');
    const back = await fixture.watch.connect();
    await waitForMessage(back, 'RemoteControlFindNoticeMessage');
    expect(back.messagesOfKind('RemoteControlShutdownNoticeMessage')).toEqual([]);
    await expectOk(fixture.owner.post('sos/resolve', { cid: fixture.cid, sosId }));
  });

  test('the next location report of the watch answers a location request', async () => {
    const asked = await expectOk(fixture.guardian.post<{ askId: string; deadline: number }>('location/ask', { did }));
    const message = await waitForMessage(watch, 'AskLocationPointNoticeMessage');
    expect(message.payload).toEqual({ ...asked, by: `user:${fixture.guardian.userId}` });
    expect(parent.messagesOfKind('AskLocationPointNoticeMessage')).toEqual([]);
    const point = { latitude: '31.2304', longitude: '121.4737', radius: 9, pointType: 1, positionTime: Date.now() };
    expect(await watch.send('LocationPointChangeMessage', { points: [point] })).toMatchObject({ ok: true });
    const { location } = await waitUntilFound('the answer', async () => {
      const progress = await expectOk(
        fixture.owner.get<{ state: string; location: object }>('location/ask/get', { askId: asked.askId }),
      );
      return progress.state === 'ANSWERED' ? progress : undefined;
    });
    expect(location).toEqual(point);
  });
});
