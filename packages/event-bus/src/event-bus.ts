import type { Envelope } from './envelope.js';

/** What a bus says about an envelope that it has taken durably. */
export interface PublishAck {
  /** Place in the stream; null if the bus has no stream, or held this envelope already. */
  sequence: number | null;
}

/** What the stream is now. The relay compares it with what it has seen before to notice lost events. */
export interface StreamPosition {
  /** Changes when the stream is made anew. */
  identity: string;
  /** Last sequence given out; 0 for an empty stream and for a bus without one. */
  sequence: number;
}

export interface EventSubscription {
  /** App that consumes. Subscriptions of one consumer share its envelopes; each consumer gets them all. */
  consumer: string;
  /** Names of the events wanted; envelopes with others beside them come as they are. */
  events: readonly string[];
  /**
   * Resolves once the consumer has taken the envelope durably; until then, and after a rejection, it is
   * delivered again. Called for one envelope per source and partition at a time, in order.
   */
  deliver(envelope: Envelope): Promise<void>;
}

export interface Closeable {
  close(): Promise<void>;
}

/**
 * Transport of envelopes: at least once, ordered per source and partition. The outbox is the truth, so a bus may
 * lose everything, as long as its position shows it.
 */
export interface EventBus extends Closeable {
  /** Resolves once the envelope is safe with the bus. Callers publish one envelope per source and partition at a time. */
  publish(envelope: Envelope): Promise<PublishAck>;
  /** Resolves once every envelope published from now on will reach the consumer. */
  subscribe(subscription: EventSubscription): Promise<Closeable>;
  position(): Promise<StreamPosition>;
  /** Ends all subscriptions after the deliveries under way. */
  close(): Promise<void>;
}
