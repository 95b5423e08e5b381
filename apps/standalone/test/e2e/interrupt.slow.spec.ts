import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { stopDuringRequest } from '../support/incomplete-request.js';
import { connectionsEndedByDatabase, TerminalProgram } from '../support/terminal-program.js';

let dataDir: string;

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'fw-interrupt-'));
  // The embedded database runs as another user when this process is root.
  chmodSync(dataDir, 0o711);
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test('npm start stops the service when npm is terminated, whose shell passes no signal on', async () => {
  const npm = spawn('npm', ['start'], {
    cwd: resolve(import.meta.dirname, '../../../..'),
    env: { ...PROGRAM_ENVIRONMENT, PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  npm.stdout.on('data', (chunk) => (output += String(chunk)));
  // The pipe closes when the last process that writes to it has ended, which is the service.
  const isServiceEnded = once(npm.stdout, 'close');
  await waitUntil('the URL of the service', () => /is ready at http/.test(output));
  npm.kill('SIGTERM');
  await isServiceEnded;
  expect(connectionsEndedByDatabase(dataDir)).toEqual([]);
});

test('npm start answers a request in progress on Ctrl-C and stops the database last', async () => {
  const server = TerminalProgram.start('apps/standalone/dist/main.js', {
    ...PROGRAM_ENVIRONMENT,
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
  });
  const { received } = await stopDuringRequest(await server.waitForUrl(), () => server.interrupt());
  expect(received).toMatch(/HTTP\/1.1 400 [\s\S]*connection: close/i);
  expect(await server.exit).toEqual([0, null]);
  expect(connectionsEndedByDatabase(dataDir)).toEqual([]);
  expect(server.errorLines).toEqual([]);
});
