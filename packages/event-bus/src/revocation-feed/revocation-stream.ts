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
import { REVOCATION_RETENTION_MS } from './revocation-limits.js';

/** JetStream's codes for "stream not found" and "stream name already in use". */
const STREAM_NOT_FOUND = 10059;
const STREAM_NAME_IN_USE = 10058;
const PUBLISH_TIMEOUT_MS = 1_500;

/** Subject of the signals by which the writing side says how far the stream has come. */
export const HEARTBEAT_SUBJECT = 'revocations.tick';

/** How far the stream has come. */
export interface RevocationStreamPosition {
  /** Tells a stream from one that was made anew. */
  identity: string;
  /** Sequence of its last revocation; 0 when it holds none. */
  sequence: number;
}

export interface RevocationStreamOptions {
  connection: NatsConnection;
  /** First token of all subjects, so that deployments can share a server. */
  prefix?: string;
  /** 1, or 3 in a cluster. */
  replicas?: number;
}

/** The stream that keeps revocations for longer than an access token lives. */
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

  /** Makes nothing yet. Waits for a server that answers. */
  static async open(options: RevocationStreamOptions): Promise<RevocationStream> {
    return new RevocationStream(options, await jetstreamManager(options.connection, { checkAPI: false }));
  }

  /** Null while there is no stream. */
  async position(): Promise<RevocationStreamPosition | null> {
    const info = await this.#find();
    return info && markOf(info);
  }

  /** The same; makes the stream when there is none. */
  async ensure(): Promise<RevocationStreamPosition> {
    return markOf((await this.#find()) ?? (await this.#make()));
  }

  /** Resolves when the stream has it; once, however often it is sent. */
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

  async #make(): Promise<StreamInfo> {
    try {
      return await this.manager.streams.add({
        name: this.name,
        subjects: [this.#subject],
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
        discard: DiscardPolicy.Old,
        num_replicas: this.#replicas,
        max_age: nanos(REVOCATION_RETENTION_MS),
        // Every replica repairs the stream from the database, so everything may be sent again while it is kept.
        duplicate_window: nanos(REVOCATION_RETENTION_MS),
      });
    } catch (error) {
      // Another process was faster.
      if (error instanceof JetStreamApiError && error.code === STREAM_NAME_IN_USE) {
        return this.manager.streams.info(this.name);
      }
      throw error;
    }
  }
}

/** When all has expired, there is nothing to wait for: the last sequence was of a message that is gone. */
function markOf({ created, state }: StreamInfo): RevocationStreamPosition {
  return { identity: created, sequence: state.messages === 0 ? 0 : state.last_seq };
}
