import { Semaphore } from '../concurrency/semaphore.js';
import { currentWork } from '../concurrency/work-priority.js';
import type { WaitLimit } from './wait-limit.js';

/** Requests of an SOS get the next turn; all others wait by owner. */
type TurnClass = 'emergency' | 'other';
const TURN_LIMITS = {
  emergency: { running: 1 },
  other: { running: 1, perOwner: { running: 1, waiting: 100 } },
} as const;

/** Another transaction has the turn that a transaction needs. The transaction must roll back and wait for the turn. */
export class TurnTakenError extends Error {
  constructor(readonly key: string) {
    super(`Another transaction has the turn ${key}`);
    this.name = 'TurnTakenError';
  }
}

/** Turns of transactions of this process that lock the same row: one transaction per key at a time. */
export class Turns {
  private readonly semaphores = new Map<string, Semaphore<TurnClass>>();

  constructor(private readonly limit: WaitLimit) {}

  /**
   * Takes a turn if nobody has it.
   *
   * @returns a function that ends the turn
   * @throws TurnTakenError
   */
  take(key: string): () => void {
    const release = this.semaphoreOf(key).tryAcquire(turnClass(), currentWork().owner);
    if (!release) throw new TurnTakenError(key);
    return () => this.end(key, release);
  }

  /**
   * Waits for turns. The keys are taken in order, so that transactions that need several turns cannot wait for each
   * other. If a wait fails, no turn is kept.
   *
   * @throws the error of `WaitLimit` after its longest wait, or TOO_MANY_CONCURRENT_REQUESTS immediately
   */
  async waitFor(keys: Iterable<string>): Promise<Map<string, () => void>> {
    const taken = new Map<string, () => void>();
    try {
      for (const key of [...keys].sort()) {
        const release = await this.semaphoreOf(key).acquire(turnClass(), this.limit.optionsFor(currentWork()));
        taken.set(key, () => this.end(key, release));
      }
      return taken;
    } catch (error) {
      for (const end of taken.values()) end();
      throw error;
    }
  }

  private semaphoreOf(key: string): Semaphore<TurnClass> {
    const semaphore = this.semaphores.get(key) ?? new Semaphore(TURN_LIMITS);
    this.semaphores.set(key, semaphore);
    return semaphore;
  }

  private end(key: string, release: () => void): void {
    release();
    if (this.semaphores.get(key)?.isIdle) this.semaphores.delete(key);
  }
}

function turnClass(): TurnClass {
  return currentWork().workPriority === 'emergency' ? 'emergency' : 'other';
}
