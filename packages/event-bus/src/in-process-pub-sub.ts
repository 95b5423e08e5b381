import type { EventBusLogger } from './logger.js';
import { ListenerRegistry, assertSubject, type PubSub, type PubSubSubscription } from './pub-sub.js';

/**
 * Pub/sub within one process. `InProcessPubSub` is always connected; listeners run in a microtask after `publish`
 * returns.
 */
export class InProcessPubSub implements PubSub {
  readonly #listeners: ListenerRegistry<unknown>;
  #isClosed = false;

  constructor(logger: EventBusLogger) {
    this.#listeners = new ListenerRegistry(logger);
  }

  get connected(): boolean {
    return !this.#isClosed;
  }

  publish(subject: string, data: unknown): void {
    assertSubject(subject);
    if (this.#isClosed || !this.#listeners.has(subject)) return;
    // Serializes the data as for a network, so that publisher and listeners never share objects.
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
    this.#isClosed = true;
    this.#listeners.clear();
  }
}

const NOOP_SUBSCRIPTION: PubSubSubscription = { close: () => undefined };

/** Pub/sub to other processes in a deployment with a single process: sends and receives no messages. */
export class NoopPubSub implements PubSub {
  readonly connected = true;

  publish(subject: string): void {
    assertSubject(subject);
  }

  subscribe(subject: string): PubSubSubscription {
    assertSubject(subject);
    return NOOP_SUBSCRIPTION;
  }

  onReconnect(): PubSubSubscription {
    return NOOP_SUBSCRIPTION;
  }

  onDisconnect(): PubSubSubscription {
    return NOOP_SUBSCRIPTION;
  }

  async close(): Promise<void> {}
}
