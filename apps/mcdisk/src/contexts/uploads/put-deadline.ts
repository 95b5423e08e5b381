/** Time that every PUT has, whatever its size, milliseconds. */
const BASE_TIMEOUT_MS = 120_000;
/** Minimum accepted upload rate, bytes per millisecond (64 KiB/s). */
const MIN_BYTES_PER_MS = 64;

/** Returns the deadline of a PUT of `bytes` bytes that starts at `now`; both times in Unix milliseconds. */
export function putDeadline(bytes: number, now: number): number {
  return now + BASE_TIMEOUT_MS + Math.ceil(bytes / MIN_BYTES_PER_MS);
}
