import {
  DiscardPolicy,
  jetstream,
  type JetStreamClient,
  jetstreamManager,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream';
import { type NatsConnection, type Subscription, nanos } from '@nats-io/nats-core';
import type { Revocation } from '@family-watch/domain/kernel/contracts/revocation';
import { createStream, findOrNull } from '../jetstream-setup.js';
import { parseRevocation, REVOCATION_RETENTION_MS } from './revocation-index.js';

const PUBLISH_TIMEOUT_MS = 1_500;
const READ_TIMEOUT_MS = 1_500;
const READ_CONCURRENCY = 64;

/** Subject of the publisher's heartbeats, which contain the stream's position. */
export const HEARTBEAT_SUBJECT = 'revocations.tick';

/** The end of the stream, or a position that a feed has reached in it. */
export interface RevocationStreamPosition {
  /** Identity of the stream; changes when the stream is recreated. */
  identity: string;
  /** Sequence number of a revocation; 0 if the stream is empty or nothing has been read. */
  sequence: number;
}

/** Sequence numbers of the messages in the stream; `first` is `last + 1` if there are none. */
export interface RevocationStreamRange {
  identity: string;
  first: number;
  last: number;
}

export interface RevocationStreamOptions {
  connection: NatsConnection;
  /** First token of all subjects, so that deployments can share a server. */
  prefix?: string;
  /** Number of stream replicas: 1, or 3 in a cluster. */
  replicas?: number;
}

/** Returns the position in a heartbeat, or null if the data is no heartbeat. */
export function parseHeartbeat(data: unknown): RevocationStreamPosition | null {
  const { identity, sequence } = (data ?? {}) as Partial<Record<keyof RevocationStreamPosition, unknown>>;
  return typeof identity === 'string' && typeof sequence === 'number' ? { identity, sequence } : null;
}

/** Stream that retains revocations for longer than the lifetime of an access token. */
export class RevocationStream {
  readonly name: string;
  readonly #subject: string;
  readonly #client: JetStreamClient;

  private constructor(
    private readonly options: RevocationStreamOptions,
    private readonly manager: JetStreamManager,
    /** Fails early, so that the feed soon reads again after a reconnect. */
    private readonly reader: JetStreamManager,
  ) {
    const prefix = options.prefix ?? 'fw';
    this.name = `${prefix}-revocations`;
    this.#subject = `${prefix}.revocations`;
    this.#client = jetstream(options.connection);
  }

  /** Opens the stream without creating it. Waits until the server responds. */
  static async open(options: RevocationStreamOptions): Promise<RevocationStream> {
    const manager = await jetstreamManager(options.connection, { checkAPI: false });
    const reader = await jetstreamManager(options.connection, { checkAPI: false, timeout: READ_TIMEOUT_MS });
    return new RevocationStream(options, manager, reader);
  }

  /**
   * Creates the stream if it does not exist, and returns its position.
   *
   * @throws EventBusNotSetUpError if the stream does not exist and this user may not create it
   */
  async ensureExists(): Promise<RevocationStreamPosition> {
    return toPosition((await findOrNull(this.manager.streams.info(this.name))) ?? (await this.#create()));
  }

  /** Returns the messages that the stream holds; null if there is no stream. */
  async range(): Promise<RevocationStreamRange | null> {
    const info = await findOrNull(this.reader.streams.info(this.name));
    return info && { identity: info.created, first: info.state.first_seq, last: info.state.last_seq };
  }

  /**
   * Reads the messages of a range, in no particular order. Reads single messages, because a consumer would need the right
   * to create consumers, which is also the right to make the server publish to any subject. A direct get would be faster,
   * but lets an app choose the subject to which the server sends a stored message.
   *
   * @param onMessage - called with null for a message that is no revocation
   */
  async read(
    { first, last }: Pick<RevocationStreamRange, 'first' | 'last'>,
    onMessage: (revocation: Revocation | null, sequence: number) => void,
  ): Promise<void> {
    let next = first;
    const readNext = async (): Promise<void> => {
      while (next <= last) {
        // Absent if the message has expired.
        const message = await this.reader.streams.getMessage(this.name, { seq: next++ });
        if (message) onMessage(this.#parse(message.subject, message.string()), message.seq);
      }
    };
    try {
      await Promise.all(Array.from({ length: READ_CONCURRENCY }, readNext));
    } finally {
      next = Number.POSITIVE_INFINITY;
    }
  }

  /**
   * Calls `onRevocation` for each revocation that is published from now on, possibly before the stream stores it. A
   * denied subscription delivers nothing.
   */
  follow(onRevocation: (revocation: Revocation) => void): Subscription {
    return this.options.connection.subscribe(this.#subject, {
      callback: (error, message) => {
        const revocation = error ? null : this.#parse(message.subject, message.string());
        if (revocation) onRevocation(revocation);
      },
    });
  }

  /** Resolves once the stream has stored the revocation. Idempotent: duplicates are discarded by id. */
  async publish(revocation: Revocation): Promise<void> {
    await this.#client.publish(this.#subject, JSON.stringify(revocation), {
      msgID: revocation.id,
      timeout: PUBLISH_TIMEOUT_MS,
      expect: { streamName: this.name },
    });
  }

  /**
   * An app can make the server deliver an event to the subject of revocations, by pulling it with this subject for the
   * response. Such a message has the subject of the event.
   */
  #parse(subject: string, text: string): Revocation | null {
    return subject === this.#subject ? parseRevocation(text) : null;
  }

  #create(): Promise<StreamInfo> {
    return createStream(this.manager, {
      name: this.name,
      subjects: [this.#subject],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      num_replicas: this.options.replicas ?? 1,
      max_age: nanos(REVOCATION_RETENTION_MS),
      // Every replica repairs the stream from the database, so a revocation may be published again while it is
      // retained.
      duplicate_window: nanos(REVOCATION_RETENTION_MS),
    });
  }
}

/**
 * Converts stream info to a position. The sequence is 0 if all messages have expired, because a feed need not wait for
 * expired messages.
 */
function toPosition({ created, state }: StreamInfo): RevocationStreamPosition {
  return { identity: created, sequence: state.messages === 0 ? 0 : state.last_seq };
}
