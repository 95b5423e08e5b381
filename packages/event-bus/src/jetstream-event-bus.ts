import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream';
import type { JetStreamManager, StreamConfig, StreamInfo, JetStreamClient } from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';
import type { NatsConnection } from '@nats-io/nats-core';
import type { Envelope } from './envelope.js';
import type { Closeable, EventBus, EventSubscription, PublishAck, StreamPosition } from './event-bus.js';
import { sourceAppOf } from './event-map.js';
import { JetStreamPullConsumer } from './jetstream-pull-consumer.js';
import type { EventBusLogger } from './logger.js';
import { PARTITIONS } from './partition.js';

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

const DAY_MS = 24 * 60 * 60 * 1000;
const PUBLISH_TIMEOUT_MS = 5_000;

export interface JetStreamEventBusOptions extends Partial<JetStreamEventStreamOptions> {
  connection: NatsConnection;
  logger: EventBusLogger;
}

/**
 * Event bus between processes: one stream with subjects `<prefix>.events.<source>.<partition>`. The caller owns the
 * connection, which stays open after `close`. Requires NATS 2.9 or newer.
 */
export class JetStreamEventBus implements EventBus {
  readonly #pullConsumers = new Set<JetStreamPullConsumer>();

  private constructor(
    private readonly client: JetStreamClient,
    private readonly stream: JetStreamEventStream,
    private readonly options: JetStreamEventBusOptions & { ackWaitMs: number },
  ) {}

  /** Creates the stream if it does not exist. Rejects if JetStream is disabled on the server. */
  static async open(options: JetStreamEventBusOptions): Promise<JetStreamEventBus> {
    const ackWaitMs = options.ackWaitMs ?? 15_000;
    const stream = new JetStreamEventStream(await jetstreamManager(options.connection), {
      prefix: options.prefix ?? 'fw',
      replicas: options.replicas ?? 1,
      maxAgeMs: options.maxAgeMs ?? DAY_MS,
      maxBytes: options.maxBytes ?? -1,
      ackWaitMs,
    });
    await stream.ensureExists();
    return new JetStreamEventBus(jetstream(options.connection), stream, { ...options, ackWaitMs });
  }

  async publish(envelope: Envelope): Promise<PublishAck> {
    const ack = await this.client.publish(
      this.stream.subject(envelope.source, envelope.partition),
      JSON.stringify(envelope),
      { msgID: envelope.id, timeout: PUBLISH_TIMEOUT_MS, expect: { streamName: this.stream.name } },
    );
    return { sequence: ack.duplicate ? null : ack.seq };
  }

  async subscribe(subscription: EventSubscription): Promise<Closeable> {
    const sources = [...new Set(subscription.events.map(sourceAppOf))];
    const pullConsumers = sources.flatMap((source) =>
      Array.from({ length: PARTITIONS }, (_, partition) => this.#createPullConsumer(subscription, source, partition)),
    );
    // Starts one consumer after the other, because a clustered server creates consumers more slowly on concurrent
    // requests.
    for (const pullConsumer of pullConsumers) {
      this.#pullConsumers.add(pullConsumer);
      await pullConsumer.start();
    }
    return {
      close: async () => {
        await Promise.all(pullConsumers.map((pullConsumer) => pullConsumer.close()));
        for (const pullConsumer of pullConsumers) this.#pullConsumers.delete(pullConsumer);
      },
    };
  }

  async position(): Promise<StreamPosition> {
    const info = await this.stream.ensureExists();
    return { identity: info.created, sequence: info.state.last_seq };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pullConsumers].map((pullConsumer) => pullConsumer.close()));
    this.#pullConsumers.clear();
  }

  #createPullConsumer(subscription: EventSubscription, source: string, partition: number): JetStreamPullConsumer {
    return new JetStreamPullConsumer({
      client: this.client,
      stream: this.stream,
      ensureConsumer: () => this.stream.ensureConsumer(subscription.consumer, source, partition),
      deliver: (envelope) => subscription.deliver(envelope),
      deliverMalformed: (message) => subscription.deliverMalformed(message),
      ackWaitMs: this.options.ackWaitMs,
      logger: this.options.logger,
    });
  }
}
