import { ListenerRegistry } from './listener-registry.js';
import type { EventBusLogger } from './logger.js';
import { assertSubject, type PubSub, type PubSubSubscription } from './pub-sub.js';

/**
 * Pub/sub within one process. `InProcessPubSub` is always connected; listeners run in a microtask after `publish`
 * returns.
 */
export class InProcessPubSub implements PubSub {
  readonly #listeners: ListenerRegistry<unknown>;
  #closed = false;

  constructor(logger: EventBusLogger) {
    this.#listeners = new ListenerRegistry(logger);
  }

  get connected(): boolean {
    return !this.#closed;
  }

  publish(subject: string, data: unknown): void {
    assertSubject(subject);
    if (this.#closed || !this.#listeners.has(subject)) return;
    // The data is serialized as over a network, so that publisher and listeners never share objects.
    const text = JSON.stringify(data ?? null);
    queueMicrotask(() => this.#listeners.callAll(subject, JSON.parse(text) as unknown));
  }

  subscribe(subject: string, listener: (data: unknown) => void): PubSubSubscription {
    assertSubject(subject);
    return { close: this.#listeners.add(subject, listener) };
  }

  onReconnect(): PubSubSubscription {
    return { close: () => undefined };
  }

  onDisconnect(): PubSubSubscription {
    return { close: () => undefined };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
  }
}
