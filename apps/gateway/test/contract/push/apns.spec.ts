import { generateKeyPairSync } from 'node:crypto';
import { createSecureServer } from 'node:http2';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { jwtVerify } from 'jose';
import type { PushContent } from '@family-watch/domain/messages/contracts/push';
import { ApnsProvider } from '../../../src/contexts/push/providers/apns.provider.js';
import { selfSigned } from '../../support/self-signed.js';
import { describePushProvider } from './push-provider.contract.js';
import type { PushServiceBehaviour, PushProviderHarness } from './push-provider.contract.js';

const APP = 'org.example.familywatch';

const ANSWERS: Partial<Record<PushServiceBehaviour, [status: number, reason: string]>> = {
  'knows no such token': [410, 'Unregistered'],
  'is busy': [429, 'TooManyRequests'],
  'refuses our credentials': [403, 'InvalidProviderToken'],
};
/** Device tokens are hexadecimal. */
const TOKENS: Record<PushServiceBehaviour, string> = {
  'takes it': 'aa01',
  'knows no such token': 'aa02',
  'is busy': 'aa03',
  'refuses our credentials': 'aa04',
  'hangs up': 'aa05',
};

interface Arrived {
  note: PushContent;
  ttl: number;
  urgent: boolean;
  topic: string;
}

/** Apple's interface as far as it is documented: HTTP/2, a signed provider token, one stream per notification. */
describePushProvider('APNS', async (): Promise<PushProviderHarness> => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const arrived: Arrived[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const server = createSecureServer(selfSigned('localhost'));
  server.on('session', (session) => sessions.add(session).size);
  const respond = async (stream: ServerHttp2Stream, headers: NodeJS.Dict<string | string[]>): Promise<void> => {
    const mood = Object.entries(TOKENS).find(
      ([, token]) => headers[':path'] === `/3/device/${token}`,
    )?.[0] as PushServiceBehaviour;
    const { aps, ...note } = (await json(stream)) as PushContent & { aps: object };
    if (mood === 'hangs up') {
      stream.close(8);
      return;
    }
    const token = String(headers['authorization']).replace(/^bearer /, '');
    const { payload, protectedHeader } = await jwtVerify(token, publicKey, { algorithms: ['ES256'] });
    const known = payload.iss === 'TEAM000001' && protectedHeader.kid === 'KEY0000001' && headers['apns-topic'] === APP;
    const refusal = known && aps ? ANSWERS[mood] : ANSWERS['refuses our credentials'];
    stream.respond({ ':status': refusal?.[0] ?? 200 });
    stream.end(refusal ? JSON.stringify({ reason: refusal[1] }) : '');
    if (refusal) return;
    arrived.push({
      note,
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
    provider: new ApnsProvider({ token, address: '127.0.0.1', port, rejectUnauthorized: false }, APP),
    target: (mood) => ({ token: TOKENS[mood], keys: null }),
    arrived: () => arrived,
    stop: async () => {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
});
