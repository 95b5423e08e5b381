import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 30_000;

/** What comes of `look` once it is there: other contexts hear of things by event. @throws Error after half a minute */
export async function eventually<Found>(what: string, look: () => Promise<Found | undefined>): Promise<Found> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`Waited ${PATIENCE_MS} ms for ${what}`);
    await sleep(20);
  }
}
