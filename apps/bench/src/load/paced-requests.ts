import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends requests at a fixed rate until `shouldStop` returns true. Latency counts from the time when a request was due
 * to be sent, so a stall counts for every request that it delays (no coordinated omission).
 *
 * @param requests - one function per client; the clients take turns. A client sends one request at a time; a request
 * that becomes due during another request follows that request immediately. A function receives the time when its
 * request was due.
 * @param perSecond - requests per second of all clients together
 * @returns latency of each request in milliseconds
 */
export async function sendPacedRequests(
  requests: readonly ((dueAt: number) => Promise<unknown>)[],
  perSecond: number,
  shouldStop: () => boolean,
): Promise<number[]> {
  const latencies: number[] = [];
  const start = performance.now();
  const interval = (requests.length * 1_000) / perSecond;
  await Promise.all(
    requests.map(async (request, index) => {
      for (let number = 0; !shouldStop(); number += 1) {
        const dueAt = start + (number + index / requests.length) * interval;
        const waitMs = dueAt - performance.now();
        if (waitMs > 0) await sleep(waitMs);
        await request(dueAt);
        latencies.push(performance.now() - dueAt);
      }
    }),
  );
  return latencies;
}
