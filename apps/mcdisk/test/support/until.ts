import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 60_000;
const PAUSE_MS = 20;

/** Looks again and again; nothing is slept through for a fixed time. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + LIMIT_MS;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`Not within ${LIMIT_MS / 1_000} s: ${what}`);
    await sleep(PAUSE_MS);
  }
}
