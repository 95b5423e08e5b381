import type { Narrator } from '../narrator.js';
import { pollUntil } from '../retry.js';

/** How long something may take that goes its way through the service. */
const IN_TIME_MS = 30_000;

/** Something that has reached somebody: Unix milliseconds by this machine. */
interface Seen {
  at: number;
}

/** Sees to it that what was promised arrives, and tells when it did. */
export class DeliveryObserver {
  constructor(
    private readonly narrator: Narrator,
    /** Milliseconds to wait where nothing else is said. */
    readonly patience = IN_TIME_MS,
  ) {}

  /**
   * @param who - in the words of the story, as is `what`: "sees that Mia left home"
   * @param since - when it began, Unix milliseconds
   * @returns what was found, and the milliseconds it took
   * @throws Error saying what did not arrive in time
   */
  async waitFor<Found extends Seen>(
    who: string,
    what: string,
    since: number | ((found: Found) => number),
    look: () => Promise<Found | undefined> | Found | undefined,
    patience = this.patience,
  ): Promise<Found & { took: number }> {
    const found = await pollUntil(`${who}, who ${what}`, look, patience);
    const took = Math.max(0, found.at - (typeof since === 'number' ? since : since(found)));
    this.narrator.say(who, `${what} (after ${took} ms)`);
    return { ...found, took };
  }
}

/** For what is asked for and not brought: it is seen when the answer comes. */
export function observedNow<Answer extends object>(answer: Answer): Answer & Seen {
  return { ...answer, at: Date.now() };
}
