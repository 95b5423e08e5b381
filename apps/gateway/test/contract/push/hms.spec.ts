import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { PushContent } from '@family-watch/domain/messages/contracts/subscription';
import { HmsProvider } from '../../../src/notifications/push/providers/hms.provider.js';
import { describePushProvider, type PushServiceBehaviour, type PushProviderHarness } from './push-provider.contract.js';

const APP_CREDENTIALS = { appId: '100000001', appSecret: 'not a secret' };
const RESULT_CODES: Partial<Record<PushServiceBehaviour, string>> = {
  'accepts the message': '80000000',
  'does not know the token': '80300007',
  'is busy': '81000001',
  'rejects the credentials': '80200003',
  'rejects the message': '80100003',
};

interface HmsMessage {
  data: string;
  android: { urgency: string; ttl: string; collapse_key: number };
  token: [string];
}

/** Local server of Huawei's documented token and push APIs. */
describePushProvider('HMS', async (): Promise<PushProviderHarness> => {
  const messages: HmsMessage[] = [];
  let issuedTokenCount = 0;
  let lastRejectedToken = 0;
  const respond = async (request: IncomingMessage): Promise<{ status: number; body: object } | undefined> => {
    const body = await text(request);
    if (request.url === '/oauth2/v3/token') {
      const form = new URLSearchParams(body);
      if (form.get('client_secret') !== APP_CREDENTIALS.appSecret) return { status: 403, body: {} };
      issuedTokenCount += 1;
      return { status: 200, body: { access_token: `access ${issuedTokenCount}`, expires_in: 3_600 } };
    }
    const { message } = JSON.parse(body) as { message: HmsMessage };
    const [behaviour] = message.token as [PushServiceBehaviour];
    if (behaviour === 'closes the connection') return undefined;
    if (request.url !== `/v1/${APP_CREDENTIALS.appId}/messages:send`) return { status: 404, body: {} };
    // Once an access token was rejected, the server accepts only newer tokens.
    if (
      request.headers.authorization !== `Bearer access ${issuedTokenCount}` ||
      issuedTokenCount <= lastRejectedToken
    ) {
      return { status: 401, body: { code: '80200003' } };
    }
    if (behaviour === 'rejects the credentials') lastRejectedToken = issuedTokenCount;
    if (behaviour === 'accepts the message') messages.push(message);
    return { status: 200, body: { code: RESULT_CODES[behaviour] } };
  };
  const server = createServer((request, response) => {
    void respond(request).then((result) => {
      if (!result) return response.destroy();
      return response.writeHead(result.status, { 'content-type': 'application/json' }).end(JSON.stringify(result.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    provider: new HmsProvider(APP_CREDENTIALS, { auth: origin, push: origin }),
    target: (behaviour) => ({ token: behaviour, keys: null }),
    received: () =>
      messages.map(({ data, android }) => ({
        content: JSON.parse(data) as PushContent,
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
