import { jetstream, type JetStreamClient } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import type { Envelope } from './envelope.js';
import { EventBusNotSetUpError } from './errors.js';
import type { Closeable, EventBus, EventSubscription, PublishAck, StreamPosition } from './event-bus.js';
import { sourceAppOf } from './event-map.js';
import {
  JetStreamPullConsumer,
  JetStreamEventStream,
  type JetStreamEventStreamOptions,
} from './jetstream-event-stream.js';
import type { EventBusLogger } from './logger.js';
import { PARTITIONS } from './partition.js';

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
  #isMissingReported = false;

  private constructor(
    private readonly client: JetStreamClient,
    private readonly stream: JetStreamEventStream,
    private readonly options: JetStreamEventBusOptions,
  ) {}

  /**
   * Creates the stream if it does not exist. Rejects if JetStream is disabled on the server.
   *
   * @throws EventBusNotSetUpError if the stream does not exist and this user may not create it
   */
  static async open(options: JetStreamEventBusOptions): Promise<JetStreamEventBus> {
    const stream = await JetStreamEventStream.open(options.connection, options);
    await stream.ensureExists();
    return new JetStreamEventBus(jetstream(options.connection), stream, options);
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

  async #ensureConsumer(app: string, source: string, partition: number): Promise<string> {
    try {
      const name = await this.stream.ensureConsumer(app, source, partition);
      this.#isMissingReported = false;
      return name;
    } catch (error) {
      // Logged once for all consumers, which repeat the attempt until it succeeds.
      if (error instanceof EventBusNotSetUpError && !this.#isMissingReported) {
        this.#isMissingReported = true;
        this.options.logger.error('Event bus is not set up', { error });
      }
      throw error;
    }
  }

  #createPullConsumer(subscription: EventSubscription, source: string, partition: number): JetStreamPullConsumer {
    return new JetStreamPullConsumer({
      client: this.client,
      stream: this.stream,
      ensureConsumer: () => this.#ensureConsumer(subscription.consumer, source, partition),
      deliver: (envelope, pending) => subscription.deliver(envelope, pending),
      deliverMalformed: (message) => subscription.deliverMalformed(message),
      ackWaitMs: this.stream.ackWaitMs,
      logger: this.options.logger,
    });
  }
}
