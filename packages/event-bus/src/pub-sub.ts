import { AsyncResource } from 'node:async_hooks';
import type { EventBusLogger } from './logger.js';

export interface PubSubSubscription {
  close(): void;
}

/**
 * Ephemeral pub/sub, at most once; nothing is persisted, and messages sent while the connection is down are lost.
 * Subscribers that must not miss a change resynchronize in `onReconnect`.
 */
export interface PubSub {
  /** True while published messages can be delivered. */
  readonly connected: boolean;
  /** Sends JSON data to all subscriptions of exactly this subject. `publish` does not throw when disconnected. */
  publish(subject: string, data: unknown): void;
  /** Calls `listener` for each message, one message after the other; errors of the listener are logged. */
  subscribe(subject: string, listener: (data: unknown) => void): PubSubSubscription;
  /** Calls `listener` after a reconnect, when messages may have been lost. */
  onReconnect(listener: () => void): PubSubSubscription;
  /** Calls `listener` when the connection goes down. */
  onDisconnect(listener: () => void): PubSubSubscription;
  close(): Promise<void>;
}

/**
 * Checks that a subject consists of dot-separated tokens without wildcards; every adapter applies this check.
 *
 * @throws Error if the subject is invalid
 */
export function assertSubject(subject: string): void {
  if (!/^[^\s.*>]+(\.[^\s.*>]+)*$/.test(subject)) throw new Error(`Invalid subject: ${JSON.stringify(subject)}`);
}

/** Registry of listeners by name. Each listener is called in the asynchronous context in which it was added. */
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
