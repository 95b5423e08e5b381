import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Limit of a wait, milliseconds, which jest's configuration sets. The limit is half of jest's `testTimeout`, so that a
 * failed wait ends with an error that names the awaited condition, not with a timeout of jest.
 */
export const LIMIT_MS = Number(process.env['WAIT_LIMIT_MS'] ?? 300_000);
/** Interval of the attempts, milliseconds. */
const POLL_INTERVAL_MS = Number(process.env['WAIT_POLL_MS'] ?? 20);
/**
 * A wait ends only after so many attempts, so that a short limit, such as the two seconds after which access must have
 * ended, also holds on a machine on which each request takes long.
 */
const MIN_ATTEMPTS = 20;

/** Description of the awaited condition for the error. A function is called only when the wait has failed. */
type ConditionDescription = string | (() => string);

/**
 * Repeats `check` until it no longer throws.
 *
 * @returns the result of `check`
 * @throws the last error of `check` after `limitMs`, {@link LIMIT_MS} by default
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
  const { result } = await poll(attempt, () => thrown, limitMs);
  return result;
}

/**
 * Waits until `condition` returns true. An error of `condition` ends the wait.
 *
 * @throws Error with the text `what` after `limitMs`, {@link LIMIT_MS} by default
 */
export async function waitUntil(
  what: ConditionDescription,
  condition: () => boolean | Promise<boolean>,
  limitMs = LIMIT_MS,
): Promise<void> {
  await waitUntilFound(what, async () => (await condition()) || undefined, limitMs);
}

/**
 * Waits until `find` returns a value. An error of `find` ends the wait.
 *
 * @returns the value, anything but undefined
 * @throws Error with the text `what` after `limitMs`, {@link LIMIT_MS} by default
 */
export async function waitUntilFound<Found>(
  what: ConditionDescription,
  find: () => Found | undefined | Promise<Found | undefined>,
  limitMs = LIMIT_MS,
): Promise<Found> {
  const description = () => (typeof what === 'string' ? what : what());
  return poll(find, () => new Error(`Waited ${limitMs / 1_000} s for ${description()}`), limitMs);
}

/**
 * Polls `find` until it returns a value. `poll` measures the limit with `performance`, which tests do not mock.
 *
 * @throws the result of `createError` after `limitMs`
 */
async function poll<Found>(
  find: () => Found | undefined | Promise<Found | undefined>,
  createError: () => unknown,
  limitMs: number,
): Promise<Found> {
  const end = performance.now() + limitMs;
  for (let attempt = 1; ; attempt += 1) {
    const found = await find();
    if (found !== undefined) return found;
    if (attempt >= MIN_ATTEMPTS && performance.now() > end) throw createError();
    await sleep(POLL_INTERVAL_MS);
  }
}
