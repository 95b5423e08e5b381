// Step 4 of docs/from-change-to-socket.md: the transport, in process or NATS JetStream.
import type { Envelope } from './envelope.js';

/** Confirms that an event bus has accepted an envelope durably. */
export interface PublishAck {
  /** Sequence number in the stream; null if the bus has no stream or the envelope is a duplicate. */
  sequence: number | null;
}

/** State of the stream, which the relay compares with the last stored state to detect lost events. */
export interface StreamPosition {
  /** Identity of the stream; changes when the stream is recreated. */
  identity: string;
  /** Last assigned sequence number; 0 for an empty stream and for a bus without a stream. */
  sequence: number;
}

export interface EventSubscription {
  /** The consuming app. Subscriptions of one consumer share its envelopes; every consumer gets all envelopes. */
  consumer: string;
  /** Names of the requested events. A delivered envelope may also contain events with other names. */
  events: readonly string[];
  /**
   * Resolves once the consumer has accepted the envelope durably. If the promise rejects or never resolves, the
   * envelope is redelivered. The bus calls `deliver` for one envelope per source and partition at a time, in order.
   *
   * @param pending - number of following envelopes of the same source and partition that the bus has stored
   */
  deliver(envelope: Envelope, pending: number): Promise<void>;
  /**
   * Resolves once the consumer has durably stored bytes that are no event. The bus then delivers the next message. If
   * the promise rejects, the bytes are redelivered.
   */
  deliverMalformed(message: MalformedMessage): Promise<void>;
}

/** Bytes received from the bus that are no event. */
export interface MalformedMessage {
  raw: Uint8Array;
  reason: string;
}

export interface Closeable {
  close(): Promise<void>;
}

/**
 * Transports envelopes: at least once, ordered per source and partition. The outbox is the source of truth. A bus may
 * therefore lose messages, provided that its `StreamPosition` reveals the loss.
 */
export interface EventBus extends Closeable {
  /**
   * Resolves once the bus has accepted the envelope durably. Callers must publish one envelope per source and partition
   * at a time.
   */
  publish(envelope: Envelope): Promise<PublishAck>;
  /** Resolves once every envelope published afterwards will reach the consumer. */
  subscribe(subscription: EventSubscription): Promise<Closeable>;
  /**
   * Returns the identity of the stream and the position of its last envelope, by which a relay detects a lost stream.
   */
  position(): Promise<StreamPosition>;
  /** Ends all subscriptions after the deliveries in progress. */
  close(): Promise<void>;
}
