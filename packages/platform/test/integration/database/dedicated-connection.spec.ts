import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, jest, test } from '@jest/globals';
import { openDedicatedConnection } from '@family-watch/platform/database/connection';

afterEach(() => {
  jest.useRealTimers();
});

test('a backup or a migration waits 30 seconds for the connection to a busy database server', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `postgres://owner@127.0.0.1:${(server.address() as AddressInfo).port}/family_watch`;
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  const rejected = jest.fn();
  const accepted = once(server, 'connection');
  const opening = openDedicatedConnection({ url, variableName: 'DATABASE_URL' }, 'test').catch(rejected);
  const [socket] = (await accepted) as [Socket];
  await jest.advanceTimersByTimeAsync(29_000);
  expect(rejected).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(2_000);
  await opening;
  expect(String(rejected.mock.calls[0]?.[0])).toContain('timeout expired');
  socket.destroy();
  server.close();
});
