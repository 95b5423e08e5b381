import { Listeners } from './listeners.js';
import type { Logger } from './logger.js';
import { assertSubject, type Signals, type SignalSubscription } from './signals.js';

/** Signals inside one process. They are always connected; listeners run after the publisher's turn. */
export class InProcessSignals implements Signals {
  readonly #listeners: Listeners<unknown>;
  #closed = false;

  constructor(logger: Logger) {
    this.#listeners = new Listeners(logger);
  }

  get connected(): boolean {
    return !this.#closed;
  }

  publish(subject: string, data: unknown): void {
    assertSubject(subject);
    if (this.#closed || !this.#listeners.has(subject)) return;
    // Through JSON, as on a wire: listeners cannot share objects here that they would not share elsewhere.
    const text = JSON.stringify(data ?? null);
    queueMicrotask(() => this.#listeners.call(subject, JSON.parse(text) as unknown));
  }

  subscribe(subject: string, listener: (data: unknown) => void): SignalSubscription {
    assertSubject(subject);
    return { close: this.#listeners.add(subject, listener) };
  }

  onReconnect(): SignalSubscription {
    return { close: () => undefined };
  }

  onDisconnect(): SignalSubscription {
    return { close: () => undefined };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
  }
}
