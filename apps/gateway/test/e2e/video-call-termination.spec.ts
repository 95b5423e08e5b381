import { beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { MAX_CALL_DURATION_MS } from '@family-watch/domain/messages/contracts/video-call';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { CallLogService } from '../../src/calls/call-log.service.js';
import { CallMonitorService } from '../../src/calls/call-monitor.service.js';
import {
  startAcceptedCall,
  CallDevice,
  setDueAt,
  startRingingCall,
  findCallRow,
  statesOf,
} from '../support/call-parties.js';
import { user } from '../support/gateway-test-environment.js';
import { connect, createFamily } from '../support/clients.js';
import { environment, otherNode, query, serviceOf, startGateway } from '../support/suite-gateway.js';

const MINUTE_MS = 60_000;

startGateway({ STUN_URLS: 'stun:127.0.0.1:3478' });
beforeAll(() => environment.clock.stop());

const waitForState = (callId: string, state: string) =>
  waitUntil(state, async () => (await findCallRow(callId))?.state === state);

describe('automatic termination', () => {
  test('a ringing call times out, on whichever node detects it first, and cannot be accepted afterwards', async () => {
    const { fixture, ownerDevice, watchDevice, call } = await startRingingCall();
    const owner = await connect(fixture.owner, otherNode);
    environment.clock.forward(44_000);
    expect((await findCallRow(call.callId))?.state).toBe('RINGING');
    environment.clock.forward(1_000);
    expect(await watchDevice.accept(call.callId)).toMatchObject({ reason: 'CALL_STATE' });
    await waitForState(call.callId, 'TIMED_OUT');
    await owner.waitFor(() => statesOf(owner, 'Out').includes('TIMED_OUT'), 'the timeout');
    expect(await ownerDevice.hangUp(call.callId)).toMatchObject({ reason: 'CALL_STATE' });
  });

  test('a ringing call whose timeout passed while no node was running times out', async () => {
    const { call } = await startRingingCall();
    await setDueAt(call.callId, environment.clock.now() - MINUTE_MS);
    await waitForState(call.callId, 'TIMED_OUT');
  });

  test('a missed call creates a message in the message centre, a rejected call does not', async () => {
    const fixture = await createFamily();
    const watchDevice = new CallDevice(fixture.watchPrincipal);
    const first = await watchDevice.call({ userId: fixture.owner.id });
    await new CallDevice(fixture.owner, otherNode).reject(first.callId);
    const missed = await watchDevice.call({ userId: fixture.owner.id });
    await watchDevice.hangUp(missed.callId);
    const rows = await query<{ params: object }>(
      `SELECT params FROM gateway.center_message WHERE user_id = $1 AND type = 'CALL_MISSED'`,
      [fixture.owner.id],
    );
    expect(rows).toEqual([{ params: { callId: missed.callId, state: 'CANCELLED' } }]);
  });

  test('a call ends when a party is disconnected for a minute, and continues if it reconnects in time', async () => {
    const { fixture, call } = await startAcceptedCall();
    const check = () => serviceOf(CallMonitorService).checkParties();
    const owner = await connect(fixture.owner);
    environment.clock.forward(6_000);
    await check();
    environment.clock.forward(50_000);
    const watchClient = await connect(fixture.watchPrincipal, otherNode);
    await waitUntil('the return', async () => {
      environment.clock.forward(100);
      await check();
      return (await findCallRow(call.callId))?.absent_since === null;
    });
    watchClient.close();
    owner.close();
    await waitUntil('the end', async () => {
      environment.clock.forward(6_000);
      await check();
      return (await findCallRow(call.callId))?.state === 'ENDED';
    });
  });

  test('a call ends after four hours', async () => {
    const { call } = await startAcceptedCall();
    const { due_at: dueAt } = (await findCallRow(call.callId)) ?? {};
    expect(dueAt).toBeGreaterThan(environment.clock.now() + MAX_CALL_DURATION_MS - MINUTE_MS);
    await setDueAt(call.callId, environment.clock.now());
    await waitForState(call.callId, 'ENDED');
  });

  test('a call ends when its watch leaves the family, and both parties are notified only of its end', async () => {
    const { fixture, ownerDevice, watchDevice, call } = await startAcceptedCall();
    const [owner, watchClient] = [await connect(fixture.owner), await connect(fixture.watchPrincipal, otherNode)];
    await fixture.bind(null);
    expect((await findCallRow(call.callId))?.state).toBe('ENDED');
    await owner.waitFor(() => statesOf(owner, 'Out').includes('ENDED'), 'the end at the owner');
    await watchClient.waitFor(() => statesOf(watchClient, 'In').includes('ENDED'), 'the end at the watch');
    expect(watchClient.messagesOfKind('VideoCallInNoticeMessage').at(-1)).not.toHaveProperty('cid');
    expect(await watchDevice.hangUp(call.callId)).toMatchObject({ reason: 'CALL_NOT_FOUND' });
    expect(await ownerDevice.get('token/get', { callId: call.callId })).toMatchObject({ reason: 'CALL_STATE' });
  });
});

describe('call log', () => {
  type CallLogPage = {
    items: { callId: string; state: string; direction: string; duration: number }[];
    nextCursor: string;
  };

  test("lists a user's own calls, and a child's calls: all to guardians, only their own to contacts", async () => {
    const fixture = await createFamily();
    const contact = user();
    const contactMember: MemberSnapshot = {
      userId: contact.id,
      role: FAMILY_ROLE.CONTACT,
      permissions: ['CALL'],
      childPermissions: {},
    };
    await fixture.change({ members: [...fixture.family.members, contactMember] });
    const watchDevice = new CallDevice(fixture.watchPrincipal);
    const calls: string[] = [];
    for (const callee of [fixture.owner, fixture.guardian, contact]) {
      const { callId } = await watchDevice.call({ userId: callee.id });
      await new CallDevice(callee, otherNode).accept(callId);
      environment.clock.forward(2_000);
      await watchDevice.hangUp(callId);
      calls.unshift(callId);
    }
    const idsFor = async (caller: Principal, filter: Record<string, string> = {}) =>
      (await new CallDevice(caller).get<CallLogPage>('log', filter)).items.map(({ callId }) => callId);
    const ofChild = { cid: fixture.cid };
    expect(await idsFor(fixture.owner)).toEqual([calls[2]]);
    expect(await idsFor(fixture.owner, ofChild)).toEqual(calls);
    expect(await idsFor(fixture.guardian, ofChild)).toEqual(calls);
    expect(await idsFor(contact, ofChild)).toEqual([calls[0]]);
    expect(await idsFor(fixture.watchPrincipal)).toEqual(calls);
    const { items } = await new CallDevice(fixture.owner).get<CallLogPage>('log', ofChild);
    expect(items[0]).toMatchObject({ state: 'ENDED', direction: 'FROM_WATCH' });
    expect(items[0]?.duration).toBeGreaterThanOrEqual(2_000);
    expect(JSON.stringify(items)).not.toContain('signal');
    const unknown = await new CallDevice(user()).get('log', ofChild);
    expect(unknown).toMatchObject({ reason: 'CHILD_NOT_FOUND' });
    expect(unknown.text).toBe((await new CallDevice(user()).get('log', { cid: randomUUID() })).text);
    // Reading the call log page by page returns the same list.
    const paged: string[] = [];
    let cursor: string | null = null;
    do {
      const filter: Record<string, string> = { ...ofChild, limit: '1', ...(cursor && { cursor }) };
      const page: CallLogPage = await new CallDevice(fixture.owner).get<CallLogPage>('log', filter);
      paged.push(...page.items.map(({ callId }) => callId));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(paged).toEqual(calls);
    const invalid = await new CallDevice(fixture.owner).get('log', { cursor: 'x' });
    expect(invalid).toMatchObject({ reason: 'VALIDATION_FAILED' });
    await fixture.removeGuardian();
    expect(await idsFor(fixture.guardian)).toEqual([]);
  });

  test('deletes the calls of an erased child and calls older than 90 days', async () => {
    const [erased, old] = [await startRingingCall(), await startRingingCall()];
    await erased.ownerDevice.hangUp(erased.call.callId);
    await old.ownerDevice.hangUp(old.call.callId);
    await erased.fixture.publish('userctx.child.erased', {});
    expect(await findCallRow(erased.call.callId)).toBeUndefined();
    const deleteExpired = () => serviceOf(CallLogService).deleteExpired(environment.clock.now());
    await deleteExpired();
    expect(await findCallRow(old.call.callId)).toBeDefined();
    await query('UPDATE gateway.video_call SET created_at = $2 WHERE call_id = $1', [
      old.call.callId,
      environment.clock.now() - 91 * 24 * 60 * MINUTE_MS,
    ]);
    await deleteExpired();
    expect(await findCallRow(old.call.callId)).toBeUndefined();
  });
});
