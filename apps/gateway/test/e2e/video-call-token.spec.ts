import { expect, test } from '@jest/globals';
import { TokenVerifier } from 'livekit-server-sdk';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { CallJoin } from '@family-watch/domain/messages/contracts/video-call';
import { startRingingCall } from '../support/call-parties.js';
import { startGateway } from '../support/suite-gateway.js';

const LIVEKIT = { url: 'wss://livekit.test', apiKey: 'key', apiSecret: 'a secret of at least thirty-two characters' };
/** The path of the specification, and the path beside the other operations on calls. */
const TOKEN_PATHS = ['/apis/v2/tool/video-token/get', '/apis/v2/message/video-call/token/get'];

startGateway(
  {
    VIDEO_PROVIDER: 'livekit',
    LIVEKIT_URL: LIVEKIT.url,
    LIVEKIT_API_KEY: LIVEKIT.apiKey,
    LIVEKIT_API_SECRET: LIVEKIT.apiSecret,
  },
  1,
);

// An own environment, because the video provider is a setting.

test.each(TOKEN_PATHS)(
  'A18 GET %s returns a token with which LiveKit admits only this party to this call',
  async (path) => {
    const { fixture, ownerDevice, watchDevice, call } = await startRingingCall();
    const { callId } = call;
    expect(await watchDevice.get(path, { callId })).toMatchObject({ status: 409, reason: 'CALL_STATE' });
    await watchDevice.accept(callId);
    const verifier = new TokenVerifier(LIVEKIT.apiKey, LIVEKIT.apiSecret);
    const parties = [
      [ownerDevice, fixture.owner],
      [watchDevice, fixture.watchPrincipal],
    ] as const;
    for (const [device, principal] of parties) {
      const { token = '', url, expiresIn } = await device.get<CallJoin>(path, { callId });
      expect([url, expiresIn]).toEqual([LIVEKIT.url, 60]);
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
