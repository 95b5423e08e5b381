import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { describeBothDeployments } from '../support/deployments.js';
import { TestService } from '../support/test-service.js';

const INCOMPLETE_REQUEST = [
  'POST /apis/v2/userctx/user/account/sign-in HTTP/1.1',
  'Host: family-watch',
  'Content-Type: application/json',
  'Content-Length: 20',
  'Expect: 100-continue',
  '',
  '{"phoneNumber"',
].join('\r\n');
const INCOMPLETE_HEADER = 'GET / HTTP/1.1\r\nHost:';
const REST_OF_BODY = ':"1"}\n';
const WEBSOCKET_REQUEST = [
  'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
  'Host: family-watch',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  '',
  '',
].join('\r\n');
const UNREAD_REQUESTS = 'GET /docs/openapi.json HTTP/1.1\r\nHost: family-watch\r\n\r\n'.repeat(4);

/** Starts its own services, because it stops them. */
describeBothDeployments('shutdown', (deployment) => {
  test('answers requests in progress and exits with 0, although other clients never finish', async () => {
    const service = await TestService.start(deployment, { SHUTDOWN_GRACE: 6 });
    const clients: Socket[] = [];
    for (const url of service.processUrls) {
      for (const text of [INCOMPLETE_HEADER, INCOMPLETE_REQUEST, WEBSOCKET_REQUEST, UNREAD_REQUESTS]) {
        const client = await openClient(url, text);
        client.pause();
        clients.push(client);
      }
    }
    const [userctxUrl = ''] = service.processUrls;
    const client = await openClient(userctxUrl, INCOMPLETE_REQUEST);
    const received: Buffer[] = [];
    client.on('data', (chunk) => received.push(chunk));
    const closed = once(client, 'close');
    await waitUntil('the service receives the body', () => Buffer.concat(received).includes('100 Continue'));
    const stopped = service.stop();
    await waitUntil('the service rejects connections', async () => !(await acceptsConnections(userctxUrl)));
    client.write(REST_OF_BODY);
    await closed;
    expect(Buffer.concat(received).toString()).toMatch(/HTTP\/1.1 400 [\s\S]*connection: close/i);
    const exitCodes = await stopped;
    expect(exitCodes).toEqual(exitCodes.map(() => 0));
    for (const other of clients) other.destroy();
  });
});

/** Sends the text on a new connection. */
async function openClient(url: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

async function acceptsConnections(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
