/** What every PUT gets, milliseconds, however small. */
const BASE_MS = 120_000;
/** The slowest upload that is still waited for, bytes a millisecond (64 KiB/s). */
const SLOWEST = 64;

/** When a PUT of `bytes` that begins at `now` has to be over, Unix milliseconds. */
export function putDeadline(bytes: number, now: number): number {
  return now + BASE_MS + Math.ceil(bytes / SLOWEST);
}
