import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { TcpProxy } from '../../src/network/tcp-proxy.js';
import { waitUntil } from '../../src/waiting/wait-for.js';

let server: Server;
let proxy: TcpProxy;
/** Everything that the server has received. */
let receivedByServer: string;
const clients: Socket[] = [];

beforeEach(async () => {
  receivedByServer = '';
  server = createServer((socket) => {
    socket.on('data', (data) => (receivedByServer += data.toString()));
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await TcpProxy.start({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.close();
  server.close();
});

async function openClient(): Promise<Socket> {
  const client = connect(proxy.port, '127.0.0.1');
  clients.push(client);
  client.on('error', () => undefined);
  await once(client, 'connect');
  return client;
}

const waitForReceived = (text: string) => waitUntil(`the text ${text}`, () => receivedByServer === text);

/** Opens one connection before a freeze and one during the freeze, and sends data on both during the freeze. */
async function sendWhileFrozen(): Promise<Socket> {
  const early = await openClient();
  early.write('1');
  await waitForReceived('1');
  proxy.freeze();
  early.write('2');
  const late = await openClient();
  late.write('2');
  return early;
}

test('a frozen TcpProxy keeps connections open, and forwards their data when it is unfrozen', async () => {
  const early = await sendWhileFrozen();
  // The text sent through a proxy that is not frozen arrives directly after '1', so the server received nothing else.
  const unfrozenProxy = await TcpProxy.start({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  const direct = connect(unfrozenProxy.port, '127.0.0.1');
  direct.write('-');
  await waitForReceived('1-');
  expect(early.readyState).toBe('open');
  proxy.unfreeze();
  await waitForReceived('1-22');
  direct.destroy();
  await unfrozenProxy.close();
});

test('a TcpProxy that is blocked before it is unfrozen loses the data that it received during the freeze', async () => {
  const early = await sendWhileFrozen();
  const closed = once(early, 'close');
  proxy.block();
  await closed;
  proxy.unfreeze();
  proxy.unblock();
  (await openClient()).write('3');
  await waitForReceived('13');
});
