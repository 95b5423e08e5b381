import {
  DiscardPolicy,
  jetstream,
  type JetStreamClient,
  jetstreamManager,
  type JetStreamManager,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/nats-core';
import type { Revocation } from '@family-watch/domain/kernel/contracts/revocation';
import { REVOCATION_RETENTION_MS } from './revocation-index.js';

/** JetStream error codes for "stream not found" and "stream name already in use". */
const STREAM_NOT_FOUND = 10059;
const STREAM_NAME_IN_USE = 10058;
const PUBLISH_TIMEOUT_MS = 1_500;

/** Subject of the publisher's heartbeats, which contain the stream's position. */
export const HEARTBEAT_SUBJECT = 'revocations.tick';

/** The end of the stream, or a position that a feed has reached in it. */
export interface RevocationStreamPosition {
  /** Identity of the stream; changes when the stream is recreated. */
  identity: string;
  /** Sequence number of a revocation; 0 if the stream is empty or nothing has been read. */
  sequence: number;
}

export interface RevocationStreamOptions {
  connection: NatsConnection;
  /** First token of all subjects, so that deployments can share a server. */
  prefix?: string;
  /** Number of stream replicas: 1, or 3 in a cluster. */
  replicas?: number;
}

/** Stream that retains revocations for longer than the lifetime of an access token. */
export class RevocationStream {
  readonly name: string;
  readonly client: JetStreamClient;
  readonly #subject: string;
  readonly #replicas: number;

  private constructor(
    options: RevocationStreamOptions,
    private readonly manager: JetStreamManager,
  ) {
    const prefix = options.prefix ?? 'fw';
    this.name = `${prefix}-revocations`;
    this.#subject = `${prefix}.revocations`;
    this.#replicas = options.replicas ?? 1;
    this.client = jetstream(options.connection);
  }

  /** Opens the stream without creating it. Waits until the server responds. */
  static async open(options: RevocationStreamOptions): Promise<RevocationStream> {
    return new RevocationStream(options, await jetstreamManager(options.connection, { checkAPI: false }));
  }

  /** Returns the stream's position, or null if there is no stream. */
  async position(): Promise<RevocationStreamPosition | null> {
    const info = await this.#find();
    return info && toPosition(info);
  }

  /** Creates the stream if it does not exist, and returns its position. */
  async ensureExists(): Promise<RevocationStreamPosition> {
    return toPosition((await this.#find()) ?? (await this.#create()));
  }

  /** Resolves once the stream has stored the revocation. Idempotent: duplicates are discarded by id. */
  async publish(revocation: Revocation): Promise<void> {
    await this.client.publish(this.#subject, JSON.stringify(revocation), {
      msgID: revocation.id,
      timeout: PUBLISH_TIMEOUT_MS,
      expect: { streamName: this.name },
    });
  }

  async #find(): Promise<StreamInfo | null> {
    try {
      return await this.manager.streams.info(this.name);
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return null;
      throw error;
    }
  }

  async #create(): Promise<StreamInfo> {
    try {
      return await this.manager.streams.add({
        name: this.name,
        subjects: [this.#subject],
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
        discard: DiscardPolicy.Old,
        num_replicas: this.#replicas,
        max_age: nanos(REVOCATION_RETENTION_MS),
        // Every replica repairs the stream from the database, so a revocation may be published again while it is
        // retained.
        duplicate_window: nanos(REVOCATION_RETENTION_MS),
      });
    } catch (error) {
      // Another process created the stream concurrently.
      if (error instanceof JetStreamApiError && error.code === STREAM_NAME_IN_USE) {
        return this.manager.streams.info(this.name);
      }
      throw error;
    }
  }
}

/**
 * Converts stream info to a position. The sequence is 0 if all messages have expired, because a feed need not wait for
 * expired messages.
 */
function toPosition({ created, state }: StreamInfo): RevocationStreamPosition {
  return { identity: created, sequence: state.messages === 0 ? 0 : state.last_seq };
}
