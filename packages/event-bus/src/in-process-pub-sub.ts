import type { EventBusLogger } from './logger.js';
import { ListenerRegistry, assertSubject } from './pub-sub.js';
import type { PubSub, PubSubSubscription } from './pub-sub.js';

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

const NOOP_SUBSCRIPTION: PubSubSubscription = { close: () => undefined };

/** Peer pub/sub of a deployment with a single process: no messages are sent or received. */
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
