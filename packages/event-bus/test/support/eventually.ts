import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats `check` until it no longer throws, for at most `timeoutMs`; then throws what it threw last. */
export async function eventually<Result>(check: () => Promise<Result> | Result, timeoutMs = 15_000): Promise<Result> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(20);
    }
  }
}
