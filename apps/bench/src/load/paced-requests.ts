import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Makes requests at a fixed rate whatever the server does, and measures from the time at which each was to be made: a
 * stall is seen by every request that it delays (no coordinated omission).
 * @param requests - who asks, in turn; each asks one thing at a time, and what it owes is made up for
 * @returns milliseconds of each request
 */
export async function pacedRequests(
  requests: readonly (() => Promise<unknown>)[],
  perSecond: number,
  isOver: () => boolean,
): Promise<number[]> {
  const measured: number[] = [];
  const start = performance.now();
  const interval = (requests.length * 1_000) / perSecond;
  await Promise.all(
    requests.map(async (request, index) => {
      for (let number = 0; !isOver(); number += 1) {
        const intended = start + (number + index / requests.length) * interval;
        const early = intended - performance.now();
        if (early > 0) await sleep(early);
        await request();
        measured.push(performance.now() - intended);
      }
    }),
  );
  return measured;
}
