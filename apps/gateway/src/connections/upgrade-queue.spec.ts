import { describe, expect, test } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { UpgradeQueue } from './upgrade-queue.js';

const REQUEST = {} as IncomingMessage;
const NO_BYTES = Buffer.alloc(0);
const UPGRADE_MS = 1;

/** Returns a queue whose upgrades occupy the event loop, and the sockets that it has upgraded. */
function createQueue() {
  const upgraded: unknown[] = [];
  const queue = new UpgradeQueue((_request, socket) => {
    const end = performance.now() + UPGRADE_MS;
    while (performance.now() < end);
    upgraded.push(socket);
  });
  return { queue, upgraded };
}

describe('UpgradeQueue', () => {
  test('performs a burst of upgrades in order, a few in each turn of the event loop', async () => {
    const { queue, upgraded } = createQueue();
    const sockets = Array.from({ length: 50 }, () => new PassThrough());
    for (const socket of sockets) queue.add(REQUEST, socket, NO_BYTES);
    for (let previous = 0; upgraded.length < sockets.length; previous = upgraded.length) {
      expect(upgraded.length - previous).toBeLessThanOrEqual(10);
      await nextTurn();
    }
    expect(upgraded).toEqual(sockets);
  });

  test('skips a connection that is reset while its upgrade waits', async () => {
    const { queue, upgraded } = createQueue();
    const [reset, open] = [new PassThrough(), new PassThrough()];
    for (const socket of [reset, open]) queue.add(REQUEST, socket, NO_BYTES);
    expect(() => reset.emit('error', new Error('read ECONNRESET'))).not.toThrow();
    reset.destroy();
    while (upgraded.length === 0) await nextTurn();
    await nextTurn();
    expect(upgraded).toEqual([open]);
  });

  test('writes all that an upgrade and its microtasks send in one system call', async () => {
    const socket = new PassThrough();
    const isCorked: boolean[] = [];
    const queue = new UpgradeQueue(() => void Promise.resolve().then(() => isCorked.push(socket.writableCorked > 0)));
    queue.add(REQUEST, socket, NO_BYTES);
    while (isCorked.length === 0 || socket.writableCorked > 0) await nextTurn();
    expect(isCorked).toEqual([true]);
  });
});
