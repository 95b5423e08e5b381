import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { accepted, CallDevice, ringing, statesOf } from '../support/call-parties.js';
import type { GatewayNode } from '../support/gateway-node.js';
import {
  anotherSession,
  GatewayTestEnvironment,
  nextVersion,
  user,
  watch,
} from '../support/gateway-test-environment.js';
import { FamilyFixture } from '../support/family-fixture.js';

let world: GatewayTestEnvironment;
/** Two processes on one database: a call rings on one and is accepted on the other. */
let node: GatewayNode;
let otherNode: GatewayNode;

beforeAll(async () => {
  world = await GatewayTestEnvironment.start({ STUN_URLS: 'stun:127.0.0.1:3478' });
  node = await world.addNode();
  otherNode = await world.addNode();
});

afterAll(() => world.stop());

const at = (target: GatewayNode, principal: Principal) => new CallDevice(world, target, principal);

describe('a call', () => {
  test('rings on every device of the callee, is accepted on another node and ends for both parties', async () => {
    const home = await FamilyFixture.in(world);
    const wearer = await world.connect(node, home.wearer);
    const phones = [home.owner, anotherSession(home.owner)] as const;
    const clients = [await world.connect(node, phones[0]), await world.connect(otherNode, phones[1])] as const;
    const call = await at(node, home.wearer).call({ userId: home.owner.id });
    expect(call).toMatchObject({ state: 'RINGING', provider: 'webrtc', join: { expiresIn: 60 } });
    for (const client of clients) await client.waitFor(() => statesOf(client, 'In').length === 1, 'the ring');
    const ring = clients[1].ofKind('VideoCallInNoticeMessage')[0];
    expect(ring).toMatchObject({ from: { type: 'watch', id: home.wearer.id }, cid: home.cid, did: home.did });
    expect(ring?.payload).toEqual({
      callId: call.callId,
      provider: 'webrtc',
      state: 'RINGING',
      from: `watch:${home.did}`,
    });
    const response = await at(otherNode, phones[1]).accept(call.callId);
    expect(response).toMatchObject({ state: 'ACCEPTED', join: { iceServers: [{ urls: ['stun:127.0.0.1:3478'] }] } });
    expect(await at(node, phones[0]).accept(call.callId)).toMatchObject({ status: 409, reason: 'CALL_STATE' });
    for (const client of clients) await client.waitFor(() => statesOf(client, 'In').length === 2, 'the acceptance');
    expect(clients[0].ofKind('VideoCallInNoticeMessage')[1]?.payload).toMatchObject({
      state: 'ACCEPTED',
      acceptedSessionId: phones[1].sessionId,
    });
    expect(await at(node, home.wearer).hangUp(call.callId)).toMatchObject({ state: 'ENDED' });
    for (const client of clients) await client.waitFor(() => statesOf(client, 'In').length === 3, 'the end');
    await wearer.waitFor(() => statesOf(wearer, 'Out').length === 3, 'the end at the watch');
    expect(statesOf(wearer, 'Out')).toEqual(['RINGING', 'ACCEPTED', 'ENDED']);
    for (const client of [wearer, ...clients]) expect(client.problems).toEqual([]);
  });

  test('has one acceptor when several devices accept concurrently', async () => {
    const home = await FamilyFixture.in(world);
    const { callId } = await at(node, home.wearer).call({ userId: home.owner.id });
    const phones = Array.from({ length: 8 }, (_, index) =>
      at(index % 2 === 0 ? node : otherNode, anotherSession(home.owner)),
    );
    const responses = await Promise.all(phones.map((phone) => phone.accept(callId)));
    const winners = phones.filter((_, index) => responses[index]?.status === 200);
    expect(winners).toHaveLength(1);
    expect(responses.filter(({ reason }) => reason === 'CALL_STATE')).toHaveLength(7);
    // The first response may have been lost: a retry returns the same.
    expect(await winners[0]?.accept(callId)).toMatchObject({ state: 'ACCEPTED', join: { expiresIn: 60 } });
  });

  test('rings once when several calls start concurrently; the others are BUSY and do not ring', async () => {
    const home = await FamilyFixture.in(world);
    const wearer = await world.connect(node, home.wearer);
    const callers = [home.owner, home.guardian, home.owner, home.guardian, home.owner];
    const responses = await Promise.all(
      callers.map((caller, index) => at(index % 2 === 0 ? node : otherNode, caller).call({ cid: home.cid })),
    );
    expect(responses.map(({ state }) => state).toSorted()).toEqual(['BUSY', 'BUSY', 'BUSY', 'BUSY', 'RINGING']);
    expect(responses.filter(({ state, join }) => (state === 'BUSY') === (join === null))).toHaveLength(5);
    const winner = responses.find(({ state }) => state === 'RINGING')?.callId ?? '';
    await wearer.waitFor(() => statesOf(wearer, 'In').length > 0, 'the ring');
    expect(wearer.ofKind('VideoCallInNoticeMessage').map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ callId: winner }),
    ]);
    expect((await at(node, home.owner).get<{ items: object[] }>('log', { cid: home.cid })).items).toHaveLength(5);
  });

  test('rings once when both parties call each other concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const home = await FamilyFixture.in(world);
      const responses = await Promise.all([
        at(node, home.owner).call({ cid: home.cid }),
        at(otherNode, home.wearer).call({ userId: home.owner.id }),
      ]);
      expect(responses.map(({ state }) => state).toSorted()).toEqual(['BUSY', 'RINGING']);
    }
  });

  test('is created once per Idempotency-Key, and its token is not stored', async () => {
    const home = await FamilyFixture.in(world);
    const parent = at(node, home.owner);
    const headers = { 'idempotency-key': randomUUID() };
    const first = await parent.call({ cid: home.cid }, headers);
    const again = await at(otherNode, home.owner).call({ cid: home.cid }, headers);
    expect(again).toMatchObject({ callId: first.callId, state: 'RINGING', join: { expiresIn: 60 } });
    const [stored] = await node.unitOfWork.executor.query<{ answer: object }>(
      'SELECT answer FROM gateway.idempotency_key WHERE key = $1',
      [headers['idempotency-key']],
    );
    expect(stored?.answer).toEqual({ callId: first.callId, state: 'RINGING', provider: 'webrtc' });
    await parent.hangUp(first.callId);
    expect(await parent.call({ cid: home.cid }, headers)).toMatchObject({ callId: first.callId, join: null });
  });
});

describe('access to calls', () => {
  test('returns the same 404 for foreign and unknown callees and stores nothing', async () => {
    const [home, foreign] = [await FamilyFixture.in(world), await FamilyFixture.in(world)];
    const rows = async () =>
      node.unitOfWork.executor.query<{ count: number }>('SELECT count(*) AS count FROM gateway.video_call');
    const before = await rows();
    const parent = at(node, home.owner);
    const foreignResponse = await parent.call({ cid: foreign.cid });
    expect(foreignResponse).toMatchObject({ status: 404, reason: 'CHILD_NOT_FOUND' });
    expect(foreignResponse.text).toBe((await parent.call({ cid: randomUUID() })).text);
    const wearer = at(node, home.wearer);
    const stranger = await wearer.call({ userId: foreign.owner.id });
    expect(stranger).toMatchObject({ status: 404, reason: 'MEMBER_NOT_FOUND' });
    expect(stranger.text).toBe((await wearer.call({ userId: 'x' })).text);
    // Two watches cannot call each other, nor can two members.
    expect(await wearer.call({ cid: foreign.cid })).toMatchObject({ reason: 'CHILD_NOT_FOUND' });
    expect(await parent.call({ userId: home.guardian.id })).toMatchObject({ reason: 'MEMBER_NOT_FOUND' });
    expect(await parent.call({})).toMatchObject({ reason: 'VALIDATION_FAILED' });
    expect(await parent.call({ cid: home.cid, userId: 'x' })).toMatchObject({ reason: 'VALIDATION_FAILED' });
    expect(await at(node, watch()).call({ userId: home.owner.id })).toMatchObject({ reason: 'WATCH_UNBOUND' });
    expect(await rows()).toEqual(before);
  });

  test('rejects calls from and to a member without the CALL permission', async () => {
    const home = await FamilyFixture.in(world);
    const members = home.family.members.map((member) =>
      member.userId === home.guardian.id ? { ...member, childPermissions: { [home.cid]: [] } } : member,
    );
    await world.familyChanged(nextVersion(home.family, { members }));
    expect(await at(node, home.guardian).call({ cid: home.cid })).toMatchObject({ reason: 'PERMISSION_MISSING' });
    expect(await at(node, home.wearer).call({ userId: home.guardian.id })).toMatchObject({
      status: 404,
      reason: 'MEMBER_NOT_FOUND',
    });
  });

  test('returns CALL_NOT_FOUND to callers that are not a party of the call', async () => {
    const { home, call } = await accepted(world, node, otherNode);
    for (const outsider of [home.guardian, user(), watch()]) {
      const caller = at(node, outsider);
      for (const operation of ['accept', 'reject', 'hangup']) {
        const response = await caller.post(operation, { callId: call.callId });
        expect(response).toMatchObject({ status: 404, reason: 'CALL_NOT_FOUND' });
        expect(response.text).toBe((await caller.post(operation, { callId: randomUUID() })).text);
        expect(response.text).toBe((await caller.post(operation, { callId: 'no id' })).text);
      }
      expect(await caller.get('token/get', { callId: call.callId })).toMatchObject({ reason: 'CALL_NOT_FOUND' });
      const signal = { type: 'OFFER', data: 'v=0' } as const;
      expect(await caller.signal(call.callId, signal)).toMatchObject({ reason: 'CALL_NOT_FOUND' });
    }
  });

  test('issues tokens only to the calling and the accepting device, and only while the call is live', async () => {
    const { home, parent, wearer, call } = await ringing(world, node, otherNode);
    const { callId } = call;
    expect(await parent.get('token/get', { callId })).toMatchObject({ expiresIn: 60 });
    // No device can receive media before the call is accepted.
    expect(await wearer.get('token/get', { callId })).toMatchObject({ reason: 'CALL_STATE' });
    await wearer.accept(callId);
    expect(await wearer.get('token/get', { callId })).toMatchObject({ expiresIn: 60 });
    const secondPhone = at(node, anotherSession(home.owner));
    expect(await secondPhone.get('token/get', { callId })).toMatchObject({ reason: 'CALL_STATE' });
    await parent.hangUp(callId);
    for (const party of [parent, wearer]) {
      expect(await party.get('token/get', { callId })).toMatchObject({ reason: 'CALL_STATE' });
    }
  });
});
