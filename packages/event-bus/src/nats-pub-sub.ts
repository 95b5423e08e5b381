import type { NatsConnection, Subscription } from '@nats-io/nats-core';
import { ListenerRegistry, assertSubject, type PubSub, type PubSubSubscription } from './pub-sub.js';
import type { EventBusLogger } from './logger.js';

export interface NatsPubSubOptions {
  connection: NatsConnection;
  logger: EventBusLogger;
  /** First token of all subjects, so that deployments can share a server. */
  prefix?: string;
}

/** Pub/sub over core NATS. The caller owns the connection, which stays open after `close`. */
export class NatsPubSub implements PubSub {
  readonly #connection: NatsConnection;
  readonly #prefix: string;
  readonly #listeners: ListenerRegistry<unknown>;
  readonly #connectionListeners: ListenerRegistry<void>;
  readonly #subscriptions = new Map<string, Subscription>();
  #isConnected = true;

  constructor(private readonly options: NatsPubSubOptions) {
    this.#connection = options.connection;
    this.#prefix = options.prefix ?? 'fw';
    this.#listeners = new ListenerRegistry(options.logger);
    this.#connectionListeners = new ListenerRegistry(options.logger);
    void this.#monitorConnection();
  }

  get connected(): boolean {
    return this.#isConnected && !this.#connection.isClosed();
  }

  publish(subject: string, data: unknown): void {
    assertSubject(subject);
    // Drops the message while disconnected. The client would buffer messages without a limit and send them late, and
    // late messages do more harm than lost messages.
    if (!this.connected) return;
    this.#connection.publish(this.#wireSubject(subject), JSON.stringify(data ?? null));
  }

  subscribe(subject: string, listener: (data: unknown) => void): PubSubSubscription {
    assertSubject(subject);
    const remove = this.#listeners.add(subject, listener);
    if (!this.#subscriptions.has(subject)) this.#subscriptions.set(subject, this.#subscribeTo(subject));
    return {
      close: () => {
        remove();
        if (this.#listeners.has(subject)) return;
        this.#subscriptions.get(subject)?.unsubscribe();
        this.#subscriptions.delete(subject);
      },
    };
  }

  onReconnect(listener: () => void): PubSubSubscription {
    return { close: this.#connectionListeners.add('reconnect', listener) };
  }

  onDisconnect(listener: () => void): PubSubSubscription {
    return { close: this.#connectionListeners.add('disconnect', listener) };
  }

  async close(): Promise<void> {
    this.#isConnected = false;
    for (const subscription of this.#subscriptions.values()) subscription.unsubscribe();
    this.#subscriptions.clear();
    this.#listeners.clear();
    this.#connectionListeners.clear();
  }

  #wireSubject(subject: string): string {
    return `${this.#prefix}.signals.${subject}`;
  }

  #subscribeTo(subject: string): Subscription {
    const wireSubject = this.#wireSubject(subject);
    return this.#connection.subscribe(wireSubject, {
      callback: (error, message) => {
        if (error) {
          this.options.logger.error('Pub/sub subscription failed', { subject, error });
          return;
        }
        // An app can make the server deliver an event here, by pulling it with this subject for the response. The message
        // then has the subject of the event.
        if (message.subject !== wireSubject) return;
        try {
          this.#listeners.callAll(subject, message.json<unknown>());
        } catch (malformed) {
          this.options.logger.warn('Malformed pub/sub message dropped', { subject, error: malformed });
        }
      },
    });
  }

  async #monitorConnection(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === 'disconnect') {
        this.#isConnected = false;
        this.#connectionListeners.callAll('disconnect', undefined);
      } else if (status.type === 'reconnect') {
        this.#isConnected = true;
        this.#connectionListeners.callAll('reconnect', undefined);
      }
    }
    this.#isConnected = false;
    this.#connectionListeners.callAll('disconnect', undefined);
  }
}
