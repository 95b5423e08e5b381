import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 30_000;

/** Waits until `check` no longer throws; the deadline is far beyond what it takes, for machines that are busy. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(25);
    }
  }
}
