import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { PushContent } from '@family-watch/domain/messages/contracts/push';
import { HmsProvider } from '../../../src/contexts/push/providers/hms.provider.js';
import { describePushProvider } from './push-provider.contract.js';
import type { PushServiceBehaviour, PushProviderHarness } from './push-provider.contract.js';

const APP = { appId: '100000001', appSecret: 'not a secret' };
const CODES: Partial<Record<PushServiceBehaviour, string>> = {
  'takes it': '80000000',
  'knows no such token': '80300007',
  'is busy': '81000001',
  'refuses our credentials': '80200003',
};

interface HmsMessage {
  data: string;
  android: { urgency: string; ttl: string; collapse_key: number };
  token: [string];
}

/** Huawei's token and push interfaces, as far as they are documented, on loopback. */
describePushProvider('HMS', async (): Promise<PushProviderHarness> => {
  const messages: HmsMessage[] = [];
  let issued = 0;
  let refused = 0;
  const answer = async (request: IncomingMessage): Promise<{ status: number; body: object } | undefined> => {
    const body = await text(request);
    if (request.url === '/oauth2/v3/token') {
      const form = new URLSearchParams(body);
      if (form.get('client_secret') !== APP.appSecret) return { status: 403, body: {} };
      issued += 1;
      return { status: 200, body: { access_token: `access ${issued}`, expires_in: 3_600 } };
    }
    const { message } = JSON.parse(body) as { message: HmsMessage };
    const [mood] = message.token as [PushServiceBehaviour];
    if (mood === 'hangs up') return undefined;
    if (request.url !== `/v1/${APP.appId}/messages:send`) return { status: 404, body: {} };
    // A token that was refused once is refused for ever: only a fresh one is taken.
    if (request.headers.authorization !== `Bearer access ${issued}` || issued <= refused) {
      return { status: 401, body: { code: '80200003' } };
    }
    if (mood === 'refuses our credentials') refused = issued;
    if (mood === 'takes it') messages.push(message);
    return { status: 200, body: { code: CODES[mood] } };
  };
  const server = createServer((request, response) => {
    void answer(request).then((said) => {
      if (!said) return response.destroy();
      return response.writeHead(said.status, { 'content-type': 'application/json' }).end(JSON.stringify(said.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    provider: new HmsProvider(APP, { auth: origin, push: origin }),
    target: (mood) => ({ token: mood, keys: null }),
    arrived: () =>
      messages.map(({ data, android }) => ({
        note: JSON.parse(data) as PushContent,
        ttl: Number.parseInt(android.ttl, 10),
        urgent: android.urgency === 'HIGH',
        topic: String(android.collapse_key),
      })),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
});
