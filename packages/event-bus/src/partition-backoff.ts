import type { EventBusLogger } from './logger.js';
import { backoffMs } from './retry-policy.js';

const policy = { baseDelayMs: 100, maxDelayMs: 5_000 };

/** Delays the next publish of a partition after its envelope was rejected. */
export class PartitionBackoff {
  readonly #failures = new Map<number, number>();
  readonly #until = new Map<number, number>();

  constructor(private readonly logger: EventBusLogger) {}

  isBackingOff(partition: number): boolean {
    return (this.#until.get(partition) ?? 0) > performance.now();
  }

  /** Starts a delay that grows with consecutive failures. `onElapsed` is called when the delay has passed. */
  start(partition: number, error: unknown, onElapsed: () => void): void {
    const failures = (this.#failures.get(partition) ?? 0) + 1;
    const delayMs = backoffMs(policy, failures);
    this.#failures.set(partition, failures);
    this.#until.set(partition, performance.now() + delayMs);
    setTimeout(onElapsed, delayMs + 1).unref();
    if (failures === 1) this.logger.warn('Envelope publish failed', { partition, error });
  }

  reset(partition: number): void {
    this.#failures.delete(partition);
    this.#until.delete(partition);
  }
}
