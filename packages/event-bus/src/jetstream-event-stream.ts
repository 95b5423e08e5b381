import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';

/** JetStream error codes for "stream not found" and "stream name already in use". */
const STREAM_NOT_FOUND = 10059;
const STREAM_NAME_IN_USE = 10058;

export interface JetStreamEventStreamOptions {
  /** First token of all subjects and of the stream's name, so that deployments can share a server. */
  prefix: string;
  /** Number of stream replicas: 1, or 3 in a cluster. */
  replicas: number;
  /** Retention of envelopes, milliseconds. */
  maxAgeMs: number;
  /** Maximum size of the stream in bytes; -1 for unlimited. Envelopes that the stream rejects stay in the outbox. */
  maxBytes: number;
  /** Time without acknowledgement or progress report after which an envelope goes to another replica, milliseconds. */
  ackWaitMs: number;
}

/**
 * The event stream of a deployment and its durable consumers; creates the stream and the consumers if they do not
 * exist.
 */
export class JetStreamEventStream {
  readonly name: string;

  constructor(
    private readonly manager: JetStreamManager,
    private readonly options: JetStreamEventStreamOptions,
  ) {
    this.name = `${options.prefix}-events`;
  }

  subject(source: string, partition: number): string {
    return `${this.options.prefix}.events.${source}.${partition}`;
  }

  /** Returns the stream's state. Creates the stream if it does not exist, and updates its limits to the options. */
  async ensureExists(): Promise<StreamInfo> {
    const info = (await this.#find()) ?? (await this.#create());
    const limits = this.#limits();
    const differs = (Object.keys(limits) as (keyof typeof limits)[]).some((key) => info.config[key] !== limits[key]);
    return differs ? this.manager.streams.update(this.name, limits) : info;
  }

  /**
   * Creates a durable pull consumer for one app, source and partition, and returns its name. Only one envelope is
   * unacknowledged at a time, which preserves the order with any number of replicas. Each consumer filters on one exact
   * subject, because wildcards over many subjects make the server slow.
   */
  async ensureConsumer(app: string, source: string, partition: number): Promise<string> {
    const name = `${app}-${source}-${partition}`;
    await this.ensureExists();
    await this.manager.consumers.add(this.name, {
      durable_name: name,
      filter_subject: this.subject(source, partition),
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: nanos(this.options.ackWaitMs),
      max_ack_pending: 1,
      max_deliver: -1,
    });
    return name;
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
        subjects: [`${this.options.prefix}.events.*.*`],
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
        // Old envelopes may not have been consumed yet, so a full stream rejects new envelopes.
        discard: DiscardPolicy.New,
        duplicate_window: nanos(Math.min(120_000, this.options.maxAgeMs)),
        ...this.#limits(),
      });
    } catch (error) {
      // Another process created the stream concurrently.
      if (error instanceof JetStreamApiError && error.code === STREAM_NAME_IN_USE) {
        return this.manager.streams.info(this.name);
      }
      throw error;
    }
  }

  #limits(): Pick<StreamConfig, 'num_replicas' | 'max_age' | 'max_bytes'> {
    return {
      num_replicas: this.options.replicas,
      max_age: nanos(this.options.maxAgeMs),
      max_bytes: this.options.maxBytes,
    };
  }
}
