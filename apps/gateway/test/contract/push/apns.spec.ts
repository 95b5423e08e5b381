import { generateKeyPairSync } from 'node:crypto';
import { createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { jwtVerify } from 'jose';
import type { PushContent } from '@family-watch/domain/messages/contracts/subscription';
import { ApnsProvider } from '../../../src/notifications/push/providers/apns.provider.js';
import { createSelfSigned } from '@family-watch/testing/network/self-signed-certificate';
import {
  describePushProvider,
  PUSH_MESSAGE,
  type PushServiceBehaviour,
  type PushProviderHarness,
} from './push-provider.contract.js';

const APP_ID = 'org.example.familywatch';

const REJECTION_BY_BEHAVIOUR: Partial<Record<PushServiceBehaviour, [status: number, reason: string]>> = {
  'does not know the token': [410, 'Unregistered'],
  'is busy': [429, 'TooManyRequests'],
  'rejects the credentials': [403, 'InvalidProviderToken'],
  'rejects the message': [413, 'PayloadTooLarge'],
};
/** Reasons of status 400 with which APNs rejects a notification that it may accept later. */
const TEMPORARY_REASONS = ['IdleTimeout', 'TopicDisallowed', 'MissingTopic', 'BadTopic'];
/** Device tokens are hexadecimal. */
const TOKEN_BY_BEHAVIOUR: Record<PushServiceBehaviour, string> = {
  'accepts the message': 'aa01',
  'does not know the token': 'aa02',
  'is busy': 'aa03',
  'rejects the credentials': 'aa04',
  'closes the connection': 'aa05',
  'rejects the message': 'aa06',
};

interface ReceivedPush {
  content: PushContent;
  ttl: number;
  urgent: boolean;
  topic: string;
}

/** Local server of Apple's documented API, with HTTP/2, a signed provider token and one stream per notification. */
const startHarness = async (): Promise<PushProviderHarness> => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const received: ReceivedPush[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const server = createSecureServer(createSelfSigned('localhost'));
  server.on('session', (session) => sessions.add(session).size);
  const respond = async (stream: ServerHttp2Stream, headers: NodeJS.Dict<string | string[]>): Promise<void> => {
    const deviceToken = String(headers[':path']).replace('/3/device/', '');
    const behaviour = Object.entries(TOKEN_BY_BEHAVIOUR).find(
      ([, token]) => deviceToken === token,
    )?.[0] as PushServiceBehaviour;
    const reason = TEMPORARY_REASONS.find((name) => deviceToken === Buffer.from(name).toString('hex'));
    const rejectionOfToken: [number, string] | undefined = reason ? [400, reason] : REJECTION_BY_BEHAVIOUR[behaviour];
    const { aps, ...content } = (await json(stream)) as PushContent & { aps: object };
    if (behaviour === 'closes the connection') {
      stream.close(8);
      return;
    }
    const token = String(headers['authorization']).replace(/^bearer /, '');
    const { payload, protectedHeader } = await jwtVerify(token, publicKey, { algorithms: ['ES256'] });
    const isAuthorized =
      payload.iss === 'TEAM000001' && protectedHeader.kid === 'KEY0000001' && headers['apns-topic'] === APP_ID;
    const rejection = isAuthorized && aps ? rejectionOfToken : REJECTION_BY_BEHAVIOUR['rejects the credentials'];
    stream.respond({ ':status': rejection?.[0] ?? 200 });
    stream.end(rejection ? JSON.stringify({ reason: rejection[1] }) : '');
    if (rejection) return;
    received.push({
      content,
      ttl: Number(headers['apns-expiration']) - Date.now() / 1_000,
      urgent: headers['apns-priority'] !== '5',
      topic: String(headers['apns-collapse-id']),
    });
  };
  server.on('stream', (stream, headers) => void respond(stream, headers));
  server.on('sessionError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const token = { key: Buffer.from(key), keyId: 'KEY0000001', teamId: 'TEAM000001' };
  const { port } = server.address() as AddressInfo;
  return {
    provider: new ApnsProvider({ token, address: '127.0.0.1', port, rejectUnauthorized: false }, APP_ID),
    target: (behaviour) => ({ token: TOKEN_BY_BEHAVIOUR[behaviour], keys: null }),
    received: () => received,
    stop: async () => {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

describePushProvider('APNS', startHarness);

describe('a rejection with status 400', () => {
  let harness: PushProviderHarness;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(async () => {
    await harness.provider.close();
    await harness.stop();
  });

  test.each(TEMPORARY_REASONS)('and the reason %s returns TRY_LATER', async (reason) => {
    const target = { token: Buffer.from(reason).toString('hex'), keys: null };
    expect(await harness.provider.send(target, PUSH_MESSAGE)).toBe('TRY_LATER');
  });
});
