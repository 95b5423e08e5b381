import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { Agent } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, jest } from '@jest/globals';
import { jwtVerify } from 'jose';
import type { PushContent } from '@family-watch/domain/messages/contracts/subscription';
import { FcmProvider } from '../../../src/notifications/push/providers/fcm.provider.js';
import { describePushProvider, type PushServiceBehaviour, type PushProviderHarness } from './push-provider.contract.js';

// No entry for 'closes the connection': the server then closes the connection without a response.
const ERROR_RESPONSES: Partial<Record<PushServiceBehaviour, [status: number, error: string]>> = {
  'does not know the token': [404, 'UNREGISTERED'],
  'is busy': [429, 'QUOTA_EXCEEDED'],
  'rejects the credentials': [401, 'THIRD_PARTY_AUTH_ERROR'],
  'rejects the message': [400, 'INVALID_ARGUMENT'],
};

interface FcmMessage {
  token: PushServiceBehaviour;
  data: Record<string, string>;
  android: { ttl: string; priority: string; collapse_key: string };
}

/** Sends requests for Google's servers to a local server, without DNS and TLS. */
class LoopbackAgent extends Agent {
  constructor(private readonly port: number) {
    super({ keepAlive: false });
  }

  override createConnection(): Socket {
    return connect(this.port, '127.0.0.1');
  }
}

// Google's library repeats a request whose connection was closed for seven seconds; here, timers run 100 times as fast.
beforeAll(() => {
  const { setTimeout: startTimer } = globalThis;
  const startFastTimer = (callback: () => void, milliseconds = 0) => startTimer(callback, milliseconds / 100);
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(startFastTimer);
});
afterAll(() => void jest.restoreAllMocks());

/** Local server of FCM's documented token and message APIs (HTTP v1). */
describePushProvider('FCM', async (): Promise<PushProviderHarness> => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const messages: FcmMessage[] = [];
  const respond = async (request: IncomingMessage): Promise<[status: number, body: object] | undefined> => {
    const body = await text(request);
    if (request.headers.host === 'oauth2.googleapis.com' || request.headers.host === 'www.googleapis.com') {
      await jwtVerify(new URLSearchParams(body).get('assertion') ?? '', publicKey, { algorithms: ['RS256'] });
      return [200, { access_token: 'access', expires_in: 3_600, token_type: 'Bearer' }];
    }
    const { message } = JSON.parse(body) as { message: FcmMessage };
    if (message.token === 'closes the connection') return undefined;
    if (request.headers.authorization !== 'Bearer access' || request.url !== '/v1/projects/p1/messages:send') {
      return [401, { error: { status: 'UNAUTHENTICATED' } }];
    }
    const [status, errorCode] = ERROR_RESPONSES[message.token] ?? [];
    if (status === undefined) {
      messages.push(message);
      return [200, { name: 'projects/p1/messages/1' }];
    }
    const details = [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }];
    return [status, { error: { code: status, message: 'no', details } }];
  };
  const server = createServer((request, response) => {
    void respond(request).then((result) => {
      if (!result) return response.destroy();
      return response.writeHead(result[0], { 'content-type': 'application/json' }).end(JSON.stringify(result[1]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const account = {
    type: 'service_account',
    project_id: 'p1',
    client_email: 'push@p1.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  const directory = mkdtempSync(join(tmpdir(), 'fw-fcm-'));
  const file = join(directory, 'account.json');
  writeFileSync(file, JSON.stringify(account));
  return {
    provider: new FcmProvider(file, new LoopbackAgent((server.address() as AddressInfo).port)),
    target: (behaviour) => ({ token: behaviour, keys: null }),
    received: () =>
      messages.map(({ data, android }) => ({
        content: data as unknown as PushContent,
        ttl: Number.parseInt(android.ttl, 10),
        urgent: android.priority === 'high',
        topic: android.collapse_key,
      })),
    stop: async () => {
      rmSync(directory, { recursive: true });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
});
