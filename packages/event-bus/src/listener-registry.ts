import { AsyncResource } from 'node:async_hooks';
import type { EventBusLogger } from './logger.js';

/** Registry of callbacks by name. Each callback is called in the asynchronous context in which it was added. */
export class ListenerRegistry<Data> {
  readonly #byName = new Map<string, Set<(data: Data) => void>>();

  constructor(private readonly logger: EventBusLogger) {}

  /** Adds a listener and returns a function that removes it. */
  add(name: string, listener: (data: Data) => void): () => void {
    // Without `bind` the listener would run in the transaction context of the publisher.
    const bound = AsyncResource.bind(listener);
    const listeners = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, listeners.add(bound));
    return () => {
      listeners.delete(bound);
      if (listeners.size === 0 && this.#byName.get(name) === listeners) this.#byName.delete(name);
    };
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /**
   * Calls all listeners of the name. A listener's error is logged and affects neither the other listeners nor the
   * caller.
   */
  callAll(name: string, data: Data): void {
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
