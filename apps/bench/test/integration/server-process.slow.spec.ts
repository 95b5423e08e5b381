import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMIT_MS } from '@family-watch/testing/waiting/wait-for';
import { ServerProcess } from '../../src/servers/server-process.js';

const start = (program: string, startTimeoutMs: number) =>
  ServerProcess.start({
    name: 'test server',
    command: process.execPath,
    args: ['-e', program],
    readyPattern: /ready/,
    startTimeoutMs,
  });

test('ServerProcess does not kill a ready server when the start timeout elapses', async () => {
  const startTimeoutMs = 5_000;
  const server = await start('console.log("ready"); setInterval(() => {}, 1000)', startTimeoutMs);
  await sleep(startTimeoutMs + 300);
  expect(server.isRunning).toBe(true);
  await server.stop();
  expect(server.isRunning).toBe(false);
});

test('ServerProcess.start kills a server that is not ready before the start timeout', async () => {
  await expect(start('setInterval(() => {}, 1000)', 200)).rejects.toThrow('not ready in 200 ms');
});

test('ServerProcess.start rejects with the last output of a server that exits before it is ready', async () => {
  await expect(start('console.error("no database"); process.exit(1)', LIMIT_MS)).rejects.toThrow('no database');
});
