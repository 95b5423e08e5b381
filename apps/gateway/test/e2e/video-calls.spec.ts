import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startAcceptedCall, CallDevice, startRingingCall, statesOf } from '../support/call-parties.js';
import { anotherSession, user, watch } from '../support/gateway-test-environment.js';
import { connect, createFamily } from '../support/clients.js';
import { node, otherNode, query, startGateway } from '../support/suite-gateway.js';

startGateway({ STUN_URLS: 'stun:127.0.0.1:3478' });

describe('a call', () => {
  test('rings on every device of the callee, is accepted on another node and ends for both parties', async () => {
    const fixture = await createFamily();
    const watchClient = await connect(fixture.watchPrincipal);
    const phones = [fixture.owner, anotherSession(fixture.owner)] as const;
    const clients = [await connect(phones[0]), await connect(phones[1], otherNode)] as const;
    const call = await new CallDevice(fixture.watchPrincipal).call({ userId: fixture.owner.id });
    expect(call).toMatchObject({ state: 'RINGING', provider: 'webrtc', join: { expiresIn: 60 } });
    for (const client of clients) await client.waitFor(() => statesOf(client, 'In').length === 1, 'the ring');
    const ring = clients[1].messagesOfKind('VideoCallInNoticeMessage')[0];
    expect(ring).toMatchObject({
      from: { type: 'watch', id: fixture.watchPrincipal.id },
      cid: fixture.cid,
      did: fixture.did,
    });
    expect(ring?.payload).toEqual({
      callId: call.callId,
      provider: 'webrtc',
      state: 'RINGING',
      from: `watch:${fixture.did}`,
    });
    const response = await new CallDevice(phones[1], otherNode).accept(call.callId);
    expect(response).toMatchObject({ state: 'ACCEPTED', join: { iceServers: [{ urls: ['stun:127.0.0.1:3478'] }] } });
    expect(await new CallDevice(phones[0]).accept(call.callId)).toMatchObject({ status: 409, reason: 'CALL_STATE' });
    for (const client of clients) await client.waitFor(() => statesOf(client, 'In').length === 2, 'the acceptance');
    expect(clients[0].messagesOfKind('VideoCallInNoticeMessage')[1]?.payload).toMatchObject({
      state: 'ACCEPTED',
      acceptedSessionId: phones[1].sessionId,
    });
    expect(await new CallDevice(fixture.watchPrincipal).hangUp(call.callId)).toMatchObject({ state: 'ENDED' });
    for (const client of clients) await client.waitFor(() => statesOf(client, 'In').length === 3, 'the end');
    await watchClient.waitFor(() => statesOf(watchClient, 'Out').length === 3, 'the end at the watch');
    expect(statesOf(watchClient, 'Out')).toEqual(['RINGING', 'ACCEPTED', 'ENDED']);
    for (const client of [watchClient, ...clients]) expect(client.problems).toEqual([]);
  });

  test('is accepted by exactly one device when several devices accept it concurrently', async () => {
    const fixture = await createFamily();
    const { callId } = await new CallDevice(fixture.watchPrincipal).call({ userId: fixture.owner.id });
    const phones = Array.from(
      { length: 8 },
      (_, index) => new CallDevice(anotherSession(fixture.owner), index % 2 === 0 ? node : otherNode),
    );
    const responses = await Promise.all(phones.map((phone) => phone.accept(callId)));
    const winners = phones.filter((_, index) => responses[index]?.status === 200);
    expect(winners).toHaveLength(1);
    expect(responses.filter(({ reason }) => reason === 'CALL_STATE')).toHaveLength(7);
    // The first response may have been lost: a retry returns the same response.
    expect(await winners[0]?.accept(callId)).toMatchObject({ state: 'ACCEPTED', join: { expiresIn: 60 } });
  });

  test('rings once when several calls start concurrently; the others are BUSY and do not ring', async () => {
    const fixture = await createFamily();
    const watchClient = await connect(fixture.watchPrincipal);
    const callers = [fixture.owner, fixture.guardian, fixture.owner, fixture.guardian, fixture.owner];
    const responses = await Promise.all(
      callers.map((caller, index) =>
        new CallDevice(caller, index % 2 === 0 ? node : otherNode).call({ cid: fixture.cid }),
      ),
    );
    expect(responses.map(({ state }) => state).toSorted()).toEqual(['BUSY', 'BUSY', 'BUSY', 'BUSY', 'RINGING']);
    expect(responses.filter(({ state, join }) => (state === 'BUSY') === (join === null))).toHaveLength(5);
    const winner = responses.find(({ state }) => state === 'RINGING')?.callId ?? '';
    await watchClient.waitFor(() => statesOf(watchClient, 'In').length > 0, 'the ring');
    expect(watchClient.messagesOfKind('VideoCallInNoticeMessage').map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ callId: winner }),
    ]);
    expect(
      (await new CallDevice(fixture.owner).get<{ items: object[] }>('log', { cid: fixture.cid })).items,
    ).toHaveLength(5);
  });

  test('rings once when both parties call each other concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const fixture = await createFamily();
      const responses = await Promise.all([
        new CallDevice(fixture.owner).call({ cid: fixture.cid }),
        new CallDevice(fixture.watchPrincipal, otherNode).call({ userId: fixture.owner.id }),
      ]);
      expect(responses.map(({ state }) => state).toSorted()).toEqual(['BUSY', 'RINGING']);
    }
  });

  test('is created once per Idempotency-Key, and its media token is not stored', async () => {
    const fixture = await createFamily();
    const ownerDevice = new CallDevice(fixture.owner);
    const headers = { 'idempotency-key': randomUUID() };
    const first = await ownerDevice.call({ cid: fixture.cid }, headers);
    const again = await new CallDevice(fixture.owner, otherNode).call({ cid: fixture.cid }, headers);
    expect(again).toMatchObject({ callId: first.callId, state: 'RINGING', join: { expiresIn: 60 } });
    const [stored] = await query<{ answer: object }>('SELECT answer FROM gateway.idempotency_key WHERE key = $1', [
      headers['idempotency-key'],
    ]);
    expect(stored?.answer).toEqual({ callId: first.callId, state: 'RINGING', provider: 'webrtc' });
    await ownerDevice.hangUp(first.callId);
    expect(await ownerDevice.call({ cid: fixture.cid }, headers)).toMatchObject({ callId: first.callId, join: null });
  });
});

describe('access to calls', () => {
  test('is denied with the same 404 for foreign as for unknown callees, and nothing is stored', async () => {
    const [fixture, foreign] = [await createFamily(), await createFamily()];
    const rows = async () => query<{ count: number }>('SELECT count(*) AS count FROM gateway.video_call');
    const before = await rows();
    const ownerDevice = new CallDevice(fixture.owner);
    const foreignResponse = await ownerDevice.call({ cid: foreign.cid });
    expect(foreignResponse).toMatchObject({ status: 404, reason: 'CHILD_NOT_FOUND' });
    expect(foreignResponse.text).toBe((await ownerDevice.call({ cid: randomUUID() })).text);
    const watchDevice = new CallDevice(fixture.watchPrincipal);
    const stranger = await watchDevice.call({ userId: foreign.owner.id });
    expect(stranger).toMatchObject({ status: 404, reason: 'MEMBER_NOT_FOUND' });
    expect(stranger.text).toBe((await watchDevice.call({ userId: 'x' })).text);
    // Two watches cannot call each other, nor can two members.
    expect(await watchDevice.call({ cid: foreign.cid })).toMatchObject({ reason: 'CHILD_NOT_FOUND' });
    expect(await ownerDevice.call({ userId: fixture.guardian.id })).toMatchObject({ reason: 'MEMBER_NOT_FOUND' });
    expect(await ownerDevice.call({})).toMatchObject({ reason: 'VALIDATION_FAILED' });
    expect(await ownerDevice.call({ cid: fixture.cid, userId: 'x' })).toMatchObject({ reason: 'VALIDATION_FAILED' });
    expect(await new CallDevice(watch()).call({ userId: fixture.owner.id })).toMatchObject({ reason: 'WATCH_UNBOUND' });
    expect(await rows()).toEqual(before);
  });

  test('is denied for calls from and to a member without the CALL permission', async () => {
    const fixture = await createFamily();
    await fixture.changeGuardian({ childPermissions: { [fixture.cid]: [] } });
    expect(await new CallDevice(fixture.guardian).call({ cid: fixture.cid })).toMatchObject({
      reason: 'PERMISSION_MISSING',
    });
    expect(await new CallDevice(fixture.watchPrincipal).call({ userId: fixture.guardian.id })).toMatchObject({
      status: 404,
      reason: 'MEMBER_NOT_FOUND',
    });
  });

  test('is denied with CALL_NOT_FOUND to users and watches that are not a party of the call', async () => {
    const { fixture, call } = await startAcceptedCall();
    for (const outsider of [fixture.guardian, user(), watch()]) {
      const caller = new CallDevice(outsider);
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

  test('includes media tokens only for the calling and accepting device, and only while the call is live', async () => {
    const { fixture, ownerDevice, watchDevice, call } = await startRingingCall();
    const { callId } = call;
    expect(await ownerDevice.get('token/get', { callId })).toMatchObject({ expiresIn: 60 });
    // No device can receive media before the call is accepted.
    expect(await watchDevice.get('token/get', { callId })).toMatchObject({ reason: 'CALL_STATE' });
    await watchDevice.accept(callId);
    expect(await watchDevice.get('token/get', { callId })).toMatchObject({ expiresIn: 60 });
    const secondPhone = new CallDevice(anotherSession(fixture.owner));
    expect(await secondPhone.get('token/get', { callId })).toMatchObject({ reason: 'CALL_STATE' });
    await ownerDevice.hangUp(callId);
    for (const party of [ownerDevice, watchDevice]) {
      expect(await party.get('token/get', { callId })).toMatchObject({ reason: 'CALL_STATE' });
    }
  });
});
