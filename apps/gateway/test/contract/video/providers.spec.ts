import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { decodeJwt, SignJWT } from 'jose';
import { TokenVerifier } from 'livekit-server-sdk';
import { Environment } from '@family-watch/platform/config/environment';
import { EnvironmentError, loadEnvironment } from '@family-watch/platform/config/load-environment';
import { createVideoProvider } from '../../../src/calls/calls.module.js';
import { LiveKitVideoProvider } from '../../../src/calls/livekit-video.provider.js';
import { WebRtcVideoProvider } from '../../../src/calls/video-provider.js';
import { videoProviderContract } from './video-provider.contract.js';

const SECRET = 'a secret of at least thirty-two characters';
const LIVEKIT = { url: 'wss://livekit.test', apiKey: 'key', apiSecret: SECRET };
/** Verifies tokens as a LiveKit server does. */
const verifier = new TokenVerifier(LIVEKIT.apiKey, SECRET);
const systemClock = { now: () => Date.now() };

videoProviderContract('livekit', () => ({
  provider: new LiveKitVideoProvider(LIVEKIT),
  readCredentials: async ({ token = '' }) => {
    const { sub = '', video, exp = Infinity } = await verifier.verify(token);
    return { principal: sub, callId: video?.room ?? '', expiry: exp };
  },
  forgeCredentials: ({ token = '', ...join }, principal) => {
    const [header, , signature] = token.split('.');
    const claims = Buffer.from(JSON.stringify({ ...decodeJwt(token), sub: principal })).toString('base64url');
    return { ...join, token: `${header}.${claims}.${signature}` };
  },
}));

videoProviderContract('webrtc', () => ({
  provider: new WebRtcVideoProvider({
    stunUrls: ['stun:a.test'],
    turnUrls: ['turn:a.test', 'turns:b.test'],
    turnSecret: SECRET,
    now: systemClock.now,
  }),
  readCredentials: ({ iceServers = [] }) => {
    const { username = '', credential } = iceServers.find((server) => server.username !== undefined) ?? {};
    const expected = createHmac('sha1', SECRET).update(username).digest('base64');
    if (expected !== credential) return Promise.reject(new Error('The credential does not belong to the user name'));
    const [expiry = '', ...principal] = username.split(':');
    return Promise.resolve({ principal: principal.join(':'), expiry: Number(expiry) });
  },
  forgeCredentials: ({ iceServers = [], ...join }, principal) => ({
    ...join,
    iceServers: iceServers.map((server) =>
      server.username === undefined ? server : { ...server, username: `${server.username.split(':')[0]}:${principal}` },
    ),
  }),
}));

describe('LiveKitVideoProvider token', () => {
  test('permits its holder to join one room, and nothing else', async () => {
    const { token = '', url } = await new LiveKitVideoProvider(LIVEKIT).join('the-call', 'user:1');
    expect(url).toBe(LIVEKIT.url);
    expect((await verifier.verify(token)).video).toEqual({
      room: 'the-call',
      roomJoin: true,
      canPublish: true,
      canSubscribe: true,
      canPublishData: false,
      canUpdateOwnMetadata: false,
    });
    const otherSigningKey = new TextEncoder().encode('another secret of thirty-two characters');
    const forged = await new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: 'HS256' }).sign(otherSigningKey);
    await expect(verifier.verify(forged)).rejects.toThrow();
    await expect(new TokenVerifier('another-key', SECRET).verify(token)).rejects.toThrow();
  });
});

describe('video provider configuration', () => {
  const invalidVariables = (variables: NodeJS.ProcessEnv): readonly string[] => {
    try {
      loadEnvironment(variables);
      return [];
    } catch (error) {
      return error instanceof EnvironmentError ? error.problems.map((problem) => problem.split(':')[0] ?? '') : ['?'];
    }
  };

  test('defaults to WebRTC without STUN and TURN servers', async () => {
    const provider = await createVideoProvider(new Environment(), systemClock);
    expect(provider.name).toBe('webrtc');
    expect(await provider.join('c', 'user:1')).toEqual({ iceServers: [], expiresIn: 60 });
  });

  test('reports missing or invalid LiveKit variables, and creates the provider when all are valid', async () => {
    expect(invalidVariables({ VIDEO_PROVIDER: 'livekit' })).toEqual([
      'LIVEKIT_URL',
      'LIVEKIT_API_KEY',
      'LIVEKIT_API_SECRET',
    ]);
    expect(invalidVariables({ VIDEO_PROVIDER: 'zoom' })).toEqual(['VIDEO_PROVIDER']);
    const complete = { LIVEKIT_URL: 'wss://l.test', LIVEKIT_API_KEY: 'k', LIVEKIT_API_SECRET: SECRET };
    expect(invalidVariables({ VIDEO_PROVIDER: 'livekit', ...complete, LIVEKIT_API_SECRET: 'short' })).toEqual([
      'LIVEKIT_API_SECRET',
    ]);
    const environment = loadEnvironment({ VIDEO_PROVIDER: 'livekit', ...complete });
    expect((await createVideoProvider(environment, systemClock)).name).toBe('livekit');
  });

  test('accepts TURN URLs only with TURN_SECRET, and STUN and TURN URLs only with the scheme of their protocol', () => {
    expect(invalidVariables({ TURN_URLS: 'turn:a.test' })).toEqual(['TURN_SECRET']);
    expect(invalidVariables({ TURN_URLS: 'http://a.test', TURN_SECRET: SECRET })).toEqual(['TURN_URLS']);
    expect(invalidVariables({ STUN_URLS: 'turn:a.test' })).toEqual(['STUN_URLS']);
    const valid = { TURN_URLS: 'turn:a.test:3478?transport=udp,turns:b.test', TURN_SECRET: SECRET };
    expect(invalidVariables({ ...valid, STUN_URLS: 'stun:a.test,stun:b.test:3478' })).toEqual([]);
  });
});
