import type { Envelope } from './envelope.js';
import { BacklogFullError, ConsumerMissingError } from './errors.js';
import type { Closeable, EventBus, EventSubscription, PublishAck, StreamPosition } from './event-bus.js';

export interface InProcessEventBusOptions {
  /**
   * All consuming apps of the process. `publish` rejects while any consuming app is not subscribed, because no stream
   * retains the envelope for a missing consumer.
   */
  consumers: readonly string[];
  /** Maximum number of envelopes in progress from all sources together; 256 by default. */
  maxPendingEnvelopes?: number;
}

/**
 * Event bus of the standalone server. The bus stores nothing: an envelope is confirmed once every consumer has
 * committed its events, so unconfirmed envelopes are still in the outbox after a crash.
 */
export class InProcessEventBus implements EventBus {
  readonly #subscriptions = new Map<string, EventSubscription[]>();
  readonly #inProgress = new Set<Promise<void>>();
  readonly #maxPendingEnvelopes: number;
  #isClosed = false;

  constructor(options: InProcessEventBusOptions) {
    for (const consumer of options.consumers) this.#subscriptions.set(consumer, []);
    this.#maxPendingEnvelopes = options.maxPendingEnvelopes ?? 256;
  }

  async publish(envelope: Envelope): Promise<PublishAck> {
    if (this.#isClosed) throw new Error('Event bus is closed');
    if (this.#inProgress.size >= this.#maxPendingEnvelopes) throw new BacklogFullError('In-process event bus');
    const delivery = this.#deliverToAll(envelope);
    this.#inProgress.add(delivery);
    try {
      await delivery;
    } finally {
      this.#inProgress.delete(delivery);
    }
    return { sequence: null };
  }

  async subscribe(subscription: EventSubscription): Promise<Closeable> {
    const group = this.#subscriptions.get(subscription.consumer);
    if (!group) throw new ConsumerMissingError(subscription.consumer);
    group.push(subscription);
    return {
      close: async () => {
        const index = group.indexOf(subscription);
        if (index >= 0) group.splice(index, 1);
        await Promise.allSettled(this.#inProgress);
      },
    };
  }

  async position(): Promise<StreamPosition> {
    return { identity: 'in-process', sequence: 0 };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#inProgress);
  }

  async #deliverToAll(envelope: Envelope): Promise<void> {
    const receivers = [...this.#subscriptions].map(([consumer, group]) => {
      // The partition selects the subscription, so that one subscription receives all events of a key.
      const receiver = group[envelope.partition % Math.max(1, group.length)];
      if (!receiver) throw new ConsumerMissingError(consumer);
      return receiver;
    });
    const interested = receivers.filter((receiver) =>
      envelope.events.some((event) => receiver.events.includes(event.name)),
    );
    // A failing consumer does not affect the other consumers, whose inboxes discard the redelivered events.
    const outcomes = await Promise.allSettled(interested.map((receiver) => receiver.deliver(envelope, 0)));
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} consumers rejected the envelope`);
  }
}
