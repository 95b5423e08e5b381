import type { Narrator } from '../narrator.js';
import { pollUntil } from '../retry.js';

/** Default timeout for a message to pass through the service. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** A message or a response that a client has received. */
interface ReceivedItem {
  /** Time of receipt, Unix milliseconds by the clock of this machine. */
  at: number;
}

/** Waits for expected deliveries and logs how long each took. */
export class DeliveryObserver {
  constructor(
    private readonly narrator: Narrator,
    /** Default timeout, milliseconds. */
    readonly timeoutMs = DEFAULT_TIMEOUT_MS,
  ) {}

  /**
   * Polls until `look` returns a value.
   *
   * @param who - subject of the logged line
   * @param what - rest of the logged line, for example "sees that Mia left home"
   * @param since - start of the measured time in Unix milliseconds, or a function that derives it from the value
   * @returns the value, with the milliseconds since `since` as `delayMs`
   * @throws Error with `who` and `what` when `look` returns no value before the timeout
   */
  async waitFor<Found extends ReceivedItem>(
    who: string,
    what: string,
    since: number | ((found: Found) => number),
    look: () => Promise<Found | undefined> | Found | undefined,
    timeoutMs = this.timeoutMs,
  ): Promise<Found & { delayMs: number }> {
    const found = await pollUntil(`${who}, who ${what}`, look, timeoutMs);
    const took = Math.max(0, found.at - (typeof since === 'number' ? since : since(found)));
    this.narrator.narrate(who, `${what} (after ${took} ms)`);
    return { ...found, delayMs: took };
  }
}

/** Returns the response with the current time as its time of receipt. */
export function observedNow<Response extends object>(response: Response): Response & ReceivedItem {
  return { ...response, at: Date.now() };
}
