import type { NatsConnection, Subscription } from '@nats-io/nats-core';
import { Listeners } from './listeners.js';
import type { Logger } from './logger.js';
import { assertSubject, type Signals, type SignalSubscription } from './signals.js';

export interface NatsSignalsOptions {
  connection: NatsConnection;
  logger: Logger;
  /** First token of all subjects, so that deployments can share a server. */
  prefix?: string;
}

/** Signals over core NATS. The connection belongs to the caller and stays open after `close`. */
export class NatsSignals implements Signals {
  readonly #connection: NatsConnection;
  readonly #prefix: string;
  readonly #listeners: Listeners<unknown>;
  readonly #changes: Listeners<void>;
  readonly #subscriptions = new Map<string, Subscription>();
  #connected = true;

  constructor(private readonly options: NatsSignalsOptions) {
    this.#connection = options.connection;
    this.#prefix = options.prefix ?? 'fw';
    this.#listeners = new Listeners(options.logger);
    this.#changes = new Listeners(options.logger);
    void this.#watch();
  }

  get connected(): boolean {
    return this.#connected && !this.#connection.isClosed();
  }

  publish(subject: string, data: unknown): void {
    assertSubject(subject);
    // The client would keep it in memory without bound and send it late; late is worse than never here.
    if (!this.connected) return;
    this.#connection.publish(this.#wireSubject(subject), JSON.stringify(data ?? null));
  }

  subscribe(subject: string, listener: (data: unknown) => void): SignalSubscription {
    assertSubject(subject);
    const remove = this.#listeners.add(subject, listener);
    if (!this.#subscriptions.has(subject)) this.#subscriptions.set(subject, this.#listen(subject));
    return {
      close: () => {
        remove();
        if (this.#listeners.has(subject)) return;
        this.#subscriptions.get(subject)?.unsubscribe();
        this.#subscriptions.delete(subject);
      },
    };
  }

  onReconnect(listener: () => void): SignalSubscription {
    return { close: this.#changes.add('reconnect', listener) };
  }

  onDisconnect(listener: () => void): SignalSubscription {
    return { close: this.#changes.add('disconnect', listener) };
  }

  async close(): Promise<void> {
    this.#connected = false;
    for (const subscription of this.#subscriptions.values()) subscription.unsubscribe();
    this.#subscriptions.clear();
    this.#listeners.clear();
    this.#changes.clear();
  }

  #wireSubject(subject: string): string {
    return `${this.#prefix}.signals.${subject}`;
  }

  #listen(subject: string): Subscription {
    return this.#connection.subscribe(this.#wireSubject(subject), {
      callback: (error, message) => {
        if (error) {
          this.options.logger.error('Signal subscription failed', { subject, error });
          return;
        }
        try {
          this.#listeners.call(subject, message.json<unknown>());
        } catch (malformed) {
          this.options.logger.warn('Signal is not JSON', { subject, error: malformed });
        }
      },
    });
  }

  async #watch(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === 'disconnect') {
        this.#connected = false;
        this.#changes.call('disconnect', undefined);
      } else if (status.type === 'reconnect') {
        this.#connected = true;
        this.#changes.call('reconnect', undefined);
      }
    }
    this.#connected = false;
    this.#changes.call('disconnect', undefined);
  }
}
