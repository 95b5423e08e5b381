import { jetstream, jetstreamManager, type JetStreamClient } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import type { Envelope } from './envelope.js';
import type { Closeable, EventBus, EventSubscription, PublishAck, StreamPosition } from './event-bus.js';
import { sourceAppOf } from './event-map.js';
import { JetStreamPullConsumer, JetStreamEventStream } from './jetstream-event-stream.js';
import type { JetStreamEventStreamOptions } from './jetstream-event-stream.js';
import type { EventBusLogger } from './logger.js';
import { PARTITIONS } from './partition.js';

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
    // Starts one consumer after the other, because a clustered server is slower when it creates consumers concurrently.
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
      deliver: (envelope, pending) => subscription.deliver(envelope, pending),
      deliverMalformed: (message) => subscription.deliverMalformed(message),
      ackWaitMs: this.options.ackWaitMs,
      logger: this.options.logger,
    });
  }
}
