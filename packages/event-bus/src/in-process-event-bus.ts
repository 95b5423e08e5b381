import type { Envelope } from './envelope.js';
import { BacklogFullError, ConsumerMissingError } from './errors.js';
import type { Closeable, EventBus, EventSubscription, PublishAck, StreamPosition } from './event-bus.js';

export interface InProcessEventBusOptions {
  /**
   * Every consumer of the process. Until each has subscribed, and while one is closed, `publish` refuses:
   * there is no stream that would keep the envelope for it.
   */
  consumers: readonly string[];
  /** Envelopes under way at once, all sources together. */
  maxPending?: number;
}

/**
 * The bus of the standalone server. It holds nothing: an envelope is confirmed when every consumer has committed
 * it, so after a crash the outbox still has it.
 */
export class InProcessEventBus implements EventBus {
  readonly #subscriptions = new Map<string, EventSubscription[]>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #maxPending: number;
  #closed = false;

  constructor(options: InProcessEventBusOptions) {
    for (const consumer of options.consumers) this.#subscriptions.set(consumer, []);
    this.#maxPending = options.maxPending ?? 256;
  }

  async publish(envelope: Envelope): Promise<PublishAck> {
    if (this.#closed) throw new Error('Event bus is closed');
    if (this.#underWay.size >= this.#maxPending) throw new BacklogFullError('In-process event bus');
    const delivery = this.#deliverToAll(envelope);
    this.#underWay.add(delivery);
    try {
      await delivery;
    } finally {
      this.#underWay.delete(delivery);
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
        await Promise.allSettled(this.#underWay);
      },
    };
  }

  async position(): Promise<StreamPosition> {
    return { identity: 'in-process', sequence: 0 };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#underWay);
  }

  async #deliverToAll(envelope: Envelope): Promise<void> {
    const receivers = [...this.#subscriptions].map(([consumer, group]) => {
      // The partition picks the subscription, so that one of several keeps a key's order.
      const receiver = group[envelope.partition % Math.max(1, group.length)];
      if (!receiver) throw new ConsumerMissingError(consumer);
      return receiver;
    });
    const wanted = receivers.filter((receiver) =>
      envelope.events.some((event) => receiver.events.includes(event.name)),
    );
    // One consumer's failure does not keep the envelope from the others; their inboxes drop the repetition.
    const outcomes = await Promise.allSettled(wanted.map((receiver) => receiver.deliver(envelope)));
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    if (failures.length > 0)
      throw new AggregateError(failures, `${failures.length} consumers did not take the envelope`);
  }
}
