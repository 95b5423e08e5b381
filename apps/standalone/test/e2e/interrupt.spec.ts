import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { connectionsEndedByDatabase, TerminalProgram } from '../support/terminal-program.js';

const INCOMPLETE_REQUEST = [
  'POST /apis/v2/userctx/user/account/sign-in HTTP/1.1',
  'Host: family-watch',
  'Content-Type: application/json',
  'Content-Length: 20',
  'Expect: 100-continue',
  '',
  '{"phoneNumber"',
].join('\r\n');
const REST_OF_BODY = ':"1"}\n';

let dataDir: string;

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'fw-interrupt-'));
  // The embedded database runs as another user when this process is root.
  chmodSync(dataDir, 0o711);
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test('npm start answers a request in progress on Ctrl-C and stops the database last', async () => {
  const server = TerminalProgram.start('apps/standalone/dist/main.js', {
    ...PROGRAM_ENVIRONMENT,
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
  });
  const { hostname, port } = new URL(await server.waitForUrl());
  const client = connect(Number(port), hostname);
  const closed = once(client, 'close');
  let received = '';
  client.on('data', (chunk) => (received += String(chunk)));
  client.write(INCOMPLETE_REQUEST);
  await waitUntil('the server receives the body', () => received.includes('100 Continue'));
  server.interrupt();
  await waitUntil('the server rejects connections', () => rejectsConnections(Number(port), hostname));
  client.write(REST_OF_BODY);
  await closed;
  expect(received).toMatch(/HTTP\/1.1 400 [\s\S]*connection: close/i);
  expect(await server.exit).toEqual([0, null]);
  expect(connectionsEndedByDatabase(dataDir)).toEqual([]);
  expect(server.errorLines).toEqual([]);
});

async function rejectsConnections(port: number, hostname: string): Promise<boolean> {
  const socket = connect(port, hostname);
  try {
    await once(socket, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}
