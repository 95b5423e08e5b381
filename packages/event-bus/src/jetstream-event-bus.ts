import { jetstream, jetstreamManager, type JetStreamClient } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import type { Envelope } from './envelope.js';
import type { Closeable, EventBus, EventSubscription, PublishAck, StreamPosition } from './event-bus.js';
import { sourceAppOf } from './event-map.js';
import { JetStreamPullConsumer } from './jetstream-pull-consumer.js';
import { JetStreamEventStream, type JetStreamEventStreamOptions } from './jetstream-event-stream.js';
import type { EventBusLogger } from './logger.js';
import { PARTITIONS } from './partition.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const PUBLISH_TIMEOUT_MS = 5_000;

export interface JetStreamEventBusOptions extends Partial<JetStreamEventStreamOptions> {
  connection: NatsConnection;
  logger: EventBusLogger;
}

/**
 * The bus between processes: one stream, subjects `<prefix>.events.<source>.<partition>`. The connection belongs to
 * the caller and stays open after `close`. Works with NATS 2.9 and newer.
 */
export class JetStreamEventBus implements EventBus {
  readonly #pullers = new Set<JetStreamPullConsumer>();

  private constructor(
    private readonly client: JetStreamClient,
    private readonly stream: JetStreamEventStream,
    private readonly options: JetStreamEventBusOptions & { ackWaitMs: number },
  ) {}

  /** Makes the stream if there is none. Rejects if the server has JetStream switched off. */
  static async open(options: JetStreamEventBusOptions): Promise<JetStreamEventBus> {
    const ackWaitMs = options.ackWaitMs ?? 15_000;
    const stream = new JetStreamEventStream(await jetstreamManager(options.connection), {
      prefix: options.prefix ?? 'fw',
      replicas: options.replicas ?? 1,
      maxAgeMs: options.maxAgeMs ?? DAY_MS,
      maxBytes: options.maxBytes ?? -1,
      ackWaitMs,
    });
    await stream.ensure();
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
    const pullers = sources.flatMap((source) =>
      Array.from({ length: PARTITIONS }, (_, partition) => this.#puller(subscription, source, partition)),
    );
    // In turn: a clustered server makes many consumers at once slower than one after the other.
    for (const puller of pullers) {
      this.#pullers.add(puller);
      await puller.start();
    }
    return {
      close: async () => {
        await Promise.all(pullers.map((puller) => puller.close()));
        for (const puller of pullers) this.#pullers.delete(puller);
      },
    };
  }

  async position(): Promise<StreamPosition> {
    const info = await this.stream.ensure();
    return { identity: info.created, sequence: info.state.last_seq };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pullers].map((puller) => puller.close()));
    this.#pullers.clear();
  }

  #puller(subscription: EventSubscription, source: string, partition: number): JetStreamPullConsumer {
    return new JetStreamPullConsumer({
      client: this.client,
      stream: this.stream,
      ensureConsumer: () => this.stream.ensureConsumer(subscription.consumer, source, partition),
      deliver: (envelope) => subscription.deliver(envelope),
      ackWaitMs: this.options.ackWaitMs,
      logger: this.options.logger,
    });
  }
}
