import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatPair } from '../../src/load/chat-pair.js';
import { ClosedLoop } from '../../src/load/closed-loop.js';
import { PacedLoad } from '../../src/load/paced-load.js';

/** A server that takes as long as it is told to. */
class SlowPair implements ChatPair {
  onReceived: (clientMsgId: string) => void = () => undefined;
  unacknowledged = 0;
  most = 0;
  readonly sent: string[] = [];

  constructor(private readonly takes: () => number) {}

  send(clientMsgId: string, onAcknowledged: () => void): void {
    this.sent.push(clientMsgId);
    this.unacknowledged += 1;
    this.most = Math.max(this.most, this.unacknowledged);
    setTimeout(() => {
      this.unacknowledged -= 1;
      onAcknowledged();
      this.onReceived(clientMsgId);
    }, this.takes());
  }
}

test('a closed loop fills each sender’s window, never passes it, and drains', async () => {
  const pairs = [new SlowPair(() => 5), new SlowPair(() => 5)];
  const loop = new ClosedLoop(pairs, 3, 'loop');
  loop.start();
  await sleep(100);
  expect(await loop.finish(1_000)).toBe(true);
  expect(pairs.map(({ most }) => most)).toEqual([3, 3]);
  expect(loop.progress.received).toBe(loop.progress.sent);
  expect(new Set(pairs.flatMap(({ sent }) => sent)).size).toBe(loop.progress.sent);
});

test('a closed loop says when something is missing', async () => {
  const pair = new SlowPair(() => 5);
  pair.send = () => undefined;
  const loop = new ClosedLoop([pair], 1, 'loop');
  loop.start();
  expect(await loop.finish(50)).toBe(false);
});

test('a stall is measured by every message that it delays, from when each was to be sent', async () => {
  const pair = new SlowPair(() => 1);
  const load = new PacedLoad([pair], 500, 'paced');
  load.start();
  await sleep(100);
  const end = performance.now() + 200;
  // Nobody sends or answers meanwhile: half of what was to be sent waits for 100 ms and more.
  while (performance.now() < end);
  await sleep(100);
  expect(await load.finish(1_000)).toBe(true);
  expect(load.toReceiver).toHaveLength(load.progress.sent);
  expect(load.toReceiver.filter((milliseconds) => milliseconds > 100).length).toBeGreaterThan(30);
  expect(load.toAcknowledgement.filter((milliseconds) => milliseconds > 100).length).toBeGreaterThan(30);
});
