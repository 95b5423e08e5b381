/** Work in the background leaves the database to others for this many times as long as it took. */
const REST = 9;
/** Milliseconds; also what took no time at all is followed by a rest. */
const SHORTEST_REST_MS = 25;
const LONGEST_REST_MS = 5_000;

/** How long to leave the database alone after work of this length, both milliseconds. */
export function pauseAfterWork(workedMs: number): number {
  return Math.min(Math.max(workedMs * REST, SHORTEST_REST_MS), LONGEST_REST_MS);
}
