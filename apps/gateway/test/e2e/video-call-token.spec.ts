import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TokenVerifier } from 'livekit-server-sdk';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { CallJoinDto } from '@family-watch/domain/messages/dto/video-call.dto';
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
      const { token = '', url, expiresIn } = await device.get<CallJoinDto>(path, { callId });
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
  const rowOf = async (callId: string) => {
    const [row] = await query<{ due: number | null; found: number | null }>(
      'SELECT media_end_due_at AS due, media_found_at AS found FROM gateway.video_call WHERE call_id = $1',
      [callId],
    );
    return row;
  };
  const nextEndOf = async (callId: string) => (await rowOf(callId))?.due;
  const foundAtOf = async (callId: string) => (await rowOf(callId))?.found;

  /** Moves the clock, and returns when the room has been ended again. */
  const endAfter = async (ms: number, callId: string) => {
    const before = deletionsOf(callId);
    environment.clock.forward(ms);
    await waitUntil('the next end', () => deletionsOf(callId) > before);
  };

  test('ends when the call ends, and each time a party has joined again with a token that LiveKit has renewed', async () => {
    const { ownerDevice, call } = await startAcceptedCall();
    const { callId } = call;
    livekit.rooms.add(callId);
    await ownerDevice.hangUp(callId);
    await waitUntil('the end of the room', () => !livekit.rooms.has(callId));
    for (const wait of [10_000, 600_000, 600_000]) {
      livekit.rooms.add(callId);
      await endAfter(wait, callId);
      expect(livekit.rooms.has(callId)).toBe(false);
      await waitUntil('the time of the room', async () => (await foundAtOf(callId)) === environment.clock.now());
    }
    await endAfter(650_000, callId);
    expect(await nextEndOf(callId)).toBeGreaterThan(environment.clock.now());
    await endAfter(10_000, callId);
    await waitUntil('no further end', async () => (await nextEndOf(callId)) === null);
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

  test('is given up after an hour of failures, but not while it is found', async () => {
    const { ownerDevice, call } = await startAcceptedCall();
    const { callId } = call;
    await ownerDevice.hangUp(callId);
    await waitUntil('the end of the room', () => deletionsOf(callId) > 0);
    livekit.rooms.add(callId);
    environment.clock.forward(3_600_000);
    await waitUntil('the room', async () => (await foundAtOf(callId)) === environment.clock.now());
    livekit.isUnavailable = true;
    await endAfter(10_000, callId);
    expect(await nextEndOf(callId)).toBeGreaterThan(environment.clock.now());
    environment.clock.forward(3_600_000);
    await waitUntil('no further end', async () => (await nextEndOf(callId)) === null);
    livekit.isUnavailable = false;
  });

  test('that does not exist is not ended any more after 11 minutes', async () => {
    const { ownerDevice, call } = await startRingingCall();
    const { callId } = call;
    await ownerDevice.hangUp(callId);
    await waitUntil('an end', () => deletionsOf(callId) > 0);
    await endAfter(660_000, callId);
    await waitUntil('no further end', async () => (await nextEndOf(callId)) === null);
  });
});
