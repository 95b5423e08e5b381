import { AsyncResource } from 'node:async_hooks';
import type { EventBusLogger } from './logger.js';

/** Callbacks under names, each called in the asynchronous context it was added in. */
export class ListenerRegistry<Data> {
  readonly #byName = new Map<string, Set<(data: Data) => void>>();

  constructor(private readonly logger: EventBusLogger) {}

  /** Returns the way to remove it again. */
  add(name: string, listener: (data: Data) => void): () => void {
    // Otherwise a listener would run inside the unit of work whose commit sent the signal.
    const bound = AsyncResource.bind(listener);
    const named = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, named.add(bound));
    return () => {
      named.delete(bound);
      if (named.size === 0 && this.#byName.get(name) === named) this.#byName.delete(name);
    };
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** One listener's error does not reach the others or the caller. */
  call(name: string, data: Data): void {
    for (const listener of this.#byName.get(name) ?? []) {
      try {
        listener(data);
      } catch (error) {
        this.logger.error('Listener failed', { name, error });
      }
    }
  }

  clear(): void {
    this.#byName.clear();
  }
}
