import type { Narrator } from '../narrator.js';
import { pollUntil } from '../retry.js';

/** Milliseconds within which the service must deliver a message. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** A message or a response that a client has received. */
interface ReceivedItem {
  /** Time of receipt, Unix milliseconds by the clock of this machine. */
  observedAt: number;
}

/** Waits for expected deliveries, and logs how long each delivery took. */
export class DeliveryObserver {
  constructor(
    private readonly narrator: Narrator,
    /** Default timeout, milliseconds. */
    readonly timeoutMs = DEFAULT_TIMEOUT_MS,
  ) {}

  /**
   * Polls until `find` returns a value.
   *
   * @param who - subject of the logged line
   * @param what - rest of the logged line, for example "sees that Mia left home"
   * @param since - start of the measured time in Unix milliseconds, or a function that derives the start from the value
   * @param limits - `timeoutMs`: milliseconds; `after`: the timeout starts when this promise is settled, by default at once
   * @returns the value, with the milliseconds from `since` to its observation as `delayMs`
   * @throws Error with `who` and `what` when `find` returns no value before the timeout
   */
  async waitFor<Found extends ReceivedItem>(
    who: string,
    what: string,
    since: number | ((found: Found) => number),
    find: () => Promise<Found | undefined> | Found | undefined,
    limits: { timeoutMs?: number; after?: Promise<unknown> } = {},
  ): Promise<Found & { delayMs: number }> {
    const { timeoutMs = this.timeoutMs, after } = limits;
    const found = await pollUntil(`${who}, who ${what}`, find, timeoutMs, after);
    const delayMs = Math.max(0, found.observedAt - (typeof since === 'number' ? since : since(found)));
    this.narrator.narrate(who, `${what} (after ${delayMs} ms)`);
    return { ...found, delayMs };
  }
}

/** Returns the response with the current time as the time of its receipt. */
export function observedNow<Response extends object>(response: Response): Response & ReceivedItem {
  return { ...response, observedAt: Date.now() };
}
