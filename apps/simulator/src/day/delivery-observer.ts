import type { Narrator } from '../narrator.js';
import { pollUntil } from '../retry.js';

/** Default timeout for a message to pass through the service. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** Anything that a client has received. */
interface Received {
  /** Unix milliseconds by the clock of this machine. */
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
   * @param who - subject of the logged line; `what` is the rest: "sees that Mia left home"
   * @param since - start of the measured time, Unix milliseconds
   * @returns the value, and the milliseconds it took
   * @throws Error naming what did not arrive before the timeout
   */
  async waitFor<Found extends Received>(
    who: string,
    what: string,
    since: number | ((found: Found) => number),
    look: () => Promise<Found | undefined> | Found | undefined,
    timeoutMs = this.timeoutMs,
  ): Promise<Found & { took: number }> {
    const found = await pollUntil(`${who}, who ${what}`, look, timeoutMs);
    const took = Math.max(0, found.at - (typeof since === 'number' ? since : since(found)));
    this.narrator.say(who, `${what} (after ${took} ms)`);
    return { ...found, took };
  }
}

/** Marks a polled response as received now. */
export function observedNow<Response extends object>(response: Response): Response & Received {
  return { ...response, at: Date.now() };
}
