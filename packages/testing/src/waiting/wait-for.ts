import { setTimeout as sleep } from 'node:timers/promises';

/** Ends what hangs. Half of jest's `testTimeout`, so that the error says what was waited for. */
export const LIMIT_MS = Number(process.env['WAIT_LIMIT_MS'] ?? 120_000);
const PAUSE_MS = 20;

/** What is waited for, as the error names it; a function is asked when the wait has failed. */
type What = string | (() => string);

/**
 * Repeats `check` until it no longer throws.
 *
 * @returns what it returned then
 * @throws what it threw last, after {@link LIMIT_MS}
 */
export async function waitFor<Result>(check: () => Result | Promise<Result>, limitMs = LIMIT_MS): Promise<Result> {
  let thrown: unknown;
  const attempt = async () => {
    try {
      return { result: await check() };
    } catch (error) {
      thrown = error;
      return undefined;
    }
  };
  const { result } = await repeat(attempt, () => thrown, limitMs);
  return result;
}

/**
 * Waits until `holds`. What that throws ends the wait.
 *
 * @throws Error that names `what`, after {@link LIMIT_MS}
 */
export async function waitUntil(
  what: What,
  holds: () => boolean | Promise<boolean>,
  limitMs = LIMIT_MS,
): Promise<void> {
  await waitUntilFound(what, async () => (await holds()) || undefined, limitMs);
}

/**
 * Waits until `look` finds something. What that throws ends the wait.
 *
 * @returns what it found, which is anything but undefined
 * @throws Error that names `what`, after {@link LIMIT_MS}
 */
export async function waitUntilFound<Found>(
  what: What,
  look: () => Found | undefined | Promise<Found | undefined>,
  limitMs = LIMIT_MS,
): Promise<Found> {
  const name = () => (typeof what === 'string' ? what : what());
  return repeat(look, () => new Error(`Waited ${limitMs / 1_000} s for ${name()}`), limitMs);
}

/** Time is taken from a clock that no test mocks. */
async function repeat<Found>(
  look: () => Found | undefined | Promise<Found | undefined>,
  failure: () => unknown,
  limitMs: number,
): Promise<Found> {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw failure();
    await sleep(PAUSE_MS);
  }
}
