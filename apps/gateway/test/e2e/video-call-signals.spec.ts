import { describe, expect, test } from '@jest/globals';
import { MAX_SIGNALS_PER_CALL } from '@family-watch/domain/messages/contracts/video-call';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { CallLogService } from '../../src/calls/call-log.service.js';
import { startAcceptedCall, CallDevice } from '../support/call-parties.js';
import { connect, createFamily } from '../support/clients.js';
import { environment, otherNode, query, serviceOf, startGateway } from '../support/suite-gateway.js';

startGateway({ STUN_URLS: 'stun:127.0.0.1:3478' });

describe('WebRTC signals', () => {
  const signalsOf = (client: TestClient, kind: 'In' | 'Out') =>
    client
      .messagesOfKind(`VideoCall${kind}NoticeMessage`)
      .flatMap(({ payload }) => (payload as { signal?: { data: string } }).signal?.data ?? []);

  test('are sent only to the other party and in order; the callee may send none before accepting the call', async () => {
    const fixture = await createFamily();
    const [owner, watchClient, guardian] = [
      await connect(fixture.owner),
      await connect(fixture.watchPrincipal, otherNode),
      await connect(fixture.guardian),
    ];
    const [ownerDevice, watchDevice] = [
      new CallDevice(fixture.owner),
      new CallDevice(fixture.watchPrincipal, otherNode),
    ];
    const { callId } = await ownerDevice.call({ cid: fixture.cid });
    expect(await ownerDevice.signal(callId, { type: 'OFFER', data: 'offer' })).toMatchObject({ status: 200 });
    expect(await watchDevice.signal(callId, { type: 'ANSWER', data: 'auto' })).toMatchObject({ reason: 'CALL_STATE' });
    await watchDevice.accept(callId);
    expect(await watchDevice.signal(callId, { type: 'ANSWER', data: 'answer' })).toMatchObject({ status: 200 });
    for (let index = 0; index < 10; index += 1) {
      await ownerDevice.signal(callId, { type: 'CANDIDATE', data: `p${index}` });
      await watchDevice.signal(callId, { type: 'CANDIDATE', data: `c${index}` });
    }
    await watchClient.waitFor(() => signalsOf(watchClient, 'In').length === 11, 'the signals at the watch');
    await owner.waitFor(() => signalsOf(owner, 'Out').length === 11, 'the signals at the owner');
    expect(signalsOf(watchClient, 'In')).toEqual(['offer', ...Array.from({ length: 10 }, (_, index) => `p${index}`)]);
    expect(signalsOf(owner, 'Out')).toEqual(['answer', ...Array.from({ length: 10 }, (_, index) => `c${index}`)]);
    expect([...signalsOf(watchClient, 'Out'), ...signalsOf(owner, 'In'), ...guardian.messages]).toEqual([]);
  });

  test('are limited in size and number, and rejected after the call has ended', async () => {
    const { ownerDevice, watchDevice, call } = await startAcceptedCall();
    const data = 'x'.repeat(32 * 1_024);
    expect(await ownerDevice.signal(call.callId, { type: 'OFFER', data })).toMatchObject({ status: 200 });
    for (const oversizedData of [`${data}x`, 'ö'.repeat(16 * 1_024 + 1)]) {
      const response = await ownerDevice.signal(call.callId, { type: 'OFFER', data: oversizedData });
      expect(response).toMatchObject({ status: 400, reason: 'VALIDATION_FAILED' });
    }
    await query('UPDATE gateway.video_call SET signals = $2 WHERE call_id = $1', [
      call.callId,
      MAX_SIGNALS_PER_CALL - 1,
    ]);
    const signal = { type: 'CANDIDATE', data: 'c' } as const;
    expect(await watchDevice.signal(call.callId, signal)).toMatchObject({ status: 200 });
    expect(await watchDevice.signal(call.callId, signal)).toMatchObject({ reason: 'LIMIT_REACHED' });
    await ownerDevice.hangUp(call.callId);
    expect(await watchDevice.signal(call.callId, signal)).toMatchObject({ reason: 'CALL_STATE' });
  });

  test('are deleted from mailboxes once they cannot be delivered any more', async () => {
    const { ownerDevice, call } = await startAcceptedCall();
    await ownerDevice.signal(call.callId, { type: 'OFFER', data: 'planted-marker' });
    const storedCount = async () => {
      const [row] = await query<{ count: number }>(
        `SELECT count(*) AS count FROM gateway.mailbox_entry WHERE payload::text LIKE '%planted-marker%'`,
      );
      return Number(row?.count);
    };
    const log = serviceOf(CallLogService);
    await log.deleteExpiredSignals(environment.clock.now());
    expect(await storedCount()).toBe(1);
    environment.clock.forward(46_000);
    await log.deleteExpiredSignals(environment.clock.now());
    expect(await storedCount()).toBe(0);
  });
});
