import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TokenVerifier } from 'livekit-server-sdk';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { CallJoin } from '@family-watch/domain/messages/contracts/video-call';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { startAcceptedCall, startRingingCall } from '../support/call-parties.js';
import { LocalLiveKit } from '../support/local-livekit.js';
import { environment, query, startGateway } from '../support/suite-gateway.js';

const livekit = await LocalLiveKit.start();
/** The path of the specification, and the path beside the other operations on calls. */
const TOKEN_PATHS = ['/apis/v2/tool/video-token/get', '/apis/v2/message/video-call/token/get'];

startGateway(
  {
    VIDEO_PROVIDER: 'livekit',
    LIVEKIT_URL: livekit.url,
    LIVEKIT_API_KEY: livekit.apiKey,
    LIVEKIT_API_SECRET: livekit.apiSecret,
  },
  1,
);
beforeAll(() => environment.clock.stop());
afterAll(() => livekit.close());

// An own environment, because the video provider is a setting.

test.each(TOKEN_PATHS)(
  'A18 GET %s returns a token with which LiveKit admits only this party to this call',
  async (path) => {
    const { fixture, ownerDevice, watchDevice, call } = await startRingingCall();
    const { callId } = call;
    expect(await watchDevice.get(path, { callId })).toMatchObject({ status: 409, reason: 'CALL_STATE' });
    await watchDevice.accept(callId);
    const verifier = new TokenVerifier(livekit.apiKey, livekit.apiSecret);
    const parties = [
      [ownerDevice, fixture.owner],
      [watchDevice, fixture.watchPrincipal],
    ] as const;
    for (const [device, principal] of parties) {
      const { token = '', url, expiresIn } = await device.get<CallJoin>(path, { callId });
      expect([url, expiresIn]).toEqual([livekit.url, 60]);
      const { sub, video, exp = Infinity } = await verifier.verify(token);
      expect(sub).toBe(principalKey(principal));
      expect(video).toMatchObject({ room: callId, roomJoin: true, canPublish: true, canSubscribe: true });
      expect(video).not.toHaveProperty('roomAdmin');
      expect(exp).toBeLessThanOrEqual(Date.now() / 1_000 + 61);
    }
    await ownerDevice.hangUp(callId);
    expect(await ownerDevice.get(path, { callId })).toMatchObject({ status: 409, reason: 'CALL_STATE' });
  },
);

describe('the room of a call', () => {
  const deletionsOf = (callId: string) => livekit.deletions.filter((room) => room === callId).length;
  const nextEndOf = async (callId: string) => {
    const [row] = await query<{ media_end_due_at: number | null }>(
      'SELECT media_end_due_at FROM gateway.video_call WHERE call_id = $1',
      [callId],
    );
    return row?.media_end_due_at;
  };

  test('ends when the call ends, and again when the last token has expired', async () => {
    const { ownerDevice, call } = await startAcceptedCall();
    livekit.rooms.add(call.callId);
    await ownerDevice.hangUp(call.callId);
    const end = environment.clock.now();
    await waitUntil('the end of the room', () => !livekit.rooms.has(call.callId));
    await waitUntil('the next end', async () => (await nextEndOf(call.callId)) === end + 60_000);
    livekit.rooms.add(call.callId);
    environment.clock.forward(60_000);
    await waitUntil('the second end', () => !livekit.rooms.has(call.callId));
    await waitUntil('no further end', async () => (await nextEndOf(call.callId)) === null);
    expect(deletionsOf(call.callId)).toBe(2);
  });

  test('ends when the watch leaves the family', async () => {
    const { fixture, call } = await startAcceptedCall();
    livekit.rooms.add(call.callId);
    await fixture.bind(null);
    await waitUntil('the end of the room', () => !livekit.rooms.has(call.callId));
  });

  test('ends later if LiveKit is unavailable', async () => {
    livekit.isUnavailable = true;
    const { ownerDevice, call } = await startAcceptedCall();
    livekit.rooms.add(call.callId);
    await ownerDevice.hangUp(call.callId);
    await waitUntil('a failed attempt', () => deletionsOf(call.callId) > 0);
    livekit.isUnavailable = false;
    environment.clock.forward(10_000);
    await waitUntil('the end of the room', () => !livekit.rooms.has(call.callId));
  });

  test('that does not exist counts as ended', async () => {
    const { ownerDevice, call } = await startRingingCall();
    await ownerDevice.hangUp(call.callId);
    const end = environment.clock.now();
    await waitUntil('the next end', async () => (await nextEndOf(call.callId)) === end + 60_000);
  });
});
