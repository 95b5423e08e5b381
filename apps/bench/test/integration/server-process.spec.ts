import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServerProcess } from '../../src/servers/server-process.js';

const start = (program: string, startTimeoutMs: number) =>
  ServerProcess.start({ name: 'it', command: process.execPath, args: ['-e', program], ready: /ready/, startTimeoutMs });

test('a server that is ready is left alone when the time for starting is over', async () => {
  const server = await start('console.log("ready"); setInterval(() => {}, 1000)', 1_000);
  await sleep(1_300);
  expect(server.isRunning).toBe(true);
  await server.stop();
  expect(server.isRunning).toBe(false);
});

test('one that is not ready in time is ended', async () => {
  await expect(start('setInterval(() => {}, 1000)', 200)).rejects.toThrow('not ready in 200 ms');
});

test('one that ends before it is ready says its last words', async () => {
  await expect(start('console.error("no database"); process.exit(1)', 5_000)).rejects.toThrow('no database');
});
