import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatPair } from '../../src/load/chat-pair.js';
import { ClosedLoop } from '../../src/load/closed-loop.js';
import { PacedLoad } from '../../src/load/paced-load.js';

/** A pair that acknowledges and delivers each message after a configurable delay. */
class SlowPair implements ChatPair {
  onReceived: (clientMsgId: string) => void = () => undefined;
  unacknowledged = 0;
  maxUnacknowledged = 0;
  readonly sent: string[] = [];

  constructor(private readonly delayMs: () => number) {}

  send(clientMsgId: string, onAcknowledged: () => void): void {
    this.sent.push(clientMsgId);
    this.unacknowledged += 1;
    this.maxUnacknowledged = Math.max(this.maxUnacknowledged, this.unacknowledged);
    setTimeout(() => {
      this.unacknowledged -= 1;
      onAcknowledged();
      this.onReceived(clientMsgId);
    }, this.delayMs());
  }
}

test('ClosedLoop has at most the maximum number of unacknowledged messages, and none after finish', async () => {
  const pairs = [new SlowPair(() => 5), new SlowPair(() => 5)];
  const loop = new ClosedLoop(pairs, 3, 'loop');
  loop.start();
  await sleep(100);
  expect(await loop.finish(1_000)).toBe(true);
  expect(pairs.map(({ maxUnacknowledged }) => maxUnacknowledged)).toEqual([3, 3]);
  expect(loop.progress.received).toBe(loop.progress.sent);
  expect(new Set(pairs.flatMap(({ sent }) => sent)).size).toBe(loop.progress.sent);
});

test('ClosedLoop.finish returns false when messages are not acknowledged', async () => {
  const pair = new SlowPair(() => 5);
  pair.send = () => undefined;
  const loop = new ClosedLoop([pair], 1, 'loop');
  loop.start();
  expect(await loop.finish(50)).toBe(false);
});

test('PacedLoad measures the latency of each delayed message from the time when it was due', async () => {
  const pair = new SlowPair(() => 1);
  const load = new PacedLoad([pair], 500, 'paced');
  load.start();
  await sleep(100);
  const end = performance.now() + 200;
  // Blocks the event loop. Half of the messages that become due during the stall are delayed by at least 100 ms.
  while (performance.now() < end);
  await sleep(100);
  expect(await load.finish(1_000)).toBe(true);
  expect(load.receiverLatencies).toHaveLength(load.progress.sent);
  expect(load.receiverLatencies.filter((milliseconds) => milliseconds > 100).length).toBeGreaterThan(30);
  expect(load.acknowledgementLatencies.filter((milliseconds) => milliseconds > 100).length).toBeGreaterThan(30);
});
