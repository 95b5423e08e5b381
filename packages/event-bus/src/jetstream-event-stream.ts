import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
  type ConsumerMessages,
  type JetStreamClient,
  type JsMsg,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/nats-core';
import { parseEnvelope, type Envelope, type ParsedEnvelope } from './envelope.js';
import type { MalformedMessage } from './event-bus.js';
import { createStream, findOrNull, isDenied } from './jetstream-setup.js';
import { EventBusNotSetUpError } from './errors.js';
import { errorText, type EventBusLogger } from './logger.js';
import { backoffMs } from './retry-policy.js';
import { WakeSignal } from './wake-signal.js';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface JetStreamEventStreamOptions {
  /** First token of all subjects and of the stream's name, so that deployments can share a server. */
  prefix: string;
  /** Number of stream replicas: 1, or 3 in a cluster. */
  replicas: number;
  /** Retention of envelopes, milliseconds. */
  maxAgeMs: number;
  /** Maximum size of the stream in bytes; -1 for unlimited. Envelopes that the stream rejects stay in the outbox. */
  maxBytes: number;
  /** Milliseconds without acknowledgement or progress report after which an envelope is redelivered to any replica. */
  ackWaitMs: number;
}

/**
 * The event stream of a deployment and its durable consumers; creates the stream and the consumers if they do not
 * exist.
 */
export class JetStreamEventStream {
  readonly name: string;

  private constructor(
    private readonly manager: JetStreamManager,
    private readonly options: JetStreamEventStreamOptions,
  ) {
    this.name = streamNameOf(options.prefix);
  }

  /** Rejects if JetStream is disabled on the server. Does not create the stream. */
  static async open(
    connection: NatsConnection,
    {
      prefix = 'fw',
      replicas = 1,
      maxAgeMs = DAY_MS,
      maxBytes = -1,
      ackWaitMs = 15_000,
    }: Partial<JetStreamEventStreamOptions>,
  ): Promise<JetStreamEventStream> {
    const options = { prefix, replicas, maxAgeMs, maxBytes, ackWaitMs };
    return new JetStreamEventStream(await jetstreamManager(connection), options);
  }

  get ackWaitMs(): number {
    return this.options.ackWaitMs;
  }

  subject(source: string, partition: number): string {
    return `${this.options.prefix}.events.${source}.${partition}`;
  }

  /**
   * Creates the stream if it does not exist, sets its limits to the options, and returns its state. A user without the
   * right to change the stream keeps the limits that the set-up has chosen.
   *
   * @throws EventBusNotSetUpError if the stream does not exist and this user may not create it
   */
  async ensureExists(): Promise<StreamInfo> {
    const info = (await findOrNull(this.manager.streams.info(this.name))) ?? (await this.#create());
    const limits = this.#limits();
    if (isPartOf(limits, info.config)) return info;
    try {
      return await this.manager.streams.update(this.name, limits);
    } catch (error) {
      if (isDenied(error)) return info;
      throw error;
    }
  }

  /**
   * Creates a durable pull consumer for one app, source and partition, unless it exists as it should be, and returns its
   * name. Only one envelope is unacknowledged at a time, which preserves the order with any number of replicas. Each
   * consumer filters on one exact subject, because wildcards over many subjects make the server slow.
   *
   * @throws EventBusNotSetUpError if the consumer does not exist and this user may not create it
   */
  async ensureConsumer(app: string, source: string, partition: number): Promise<string> {
    const name = consumerNameOf(app, source, partition);
    const config = {
      durable_name: name,
      filter_subject: this.subject(source, partition),
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: nanos(this.options.ackWaitMs),
      max_ack_pending: 1,
      max_deliver: -1,
    };
    const info = await findOrNull(this.manager.consumers.info(this.name, name));
    if (info && isPartOf(config, info.config)) return name;
    if (!info) await this.ensureExists();
    try {
      await (info
        ? this.manager.consumers.update(this.name, name, config)
        : this.manager.consumers.add(this.name, config));
    } catch (error) {
      if (!isDenied(error)) throw error;
      // The set-up of another build may have chosen other limits.
      if (!info) throw new EventBusNotSetUpError(`consumer ${name}`);
    }
    return name;
  }

  #create(): Promise<StreamInfo> {
    return createStream(this.manager, {
      name: this.name,
      subjects: [`${this.options.prefix}.events.*.*`],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      // A full stream rejects new envelopes, because consumers may still need the old envelopes.
      discard: DiscardPolicy.New,
      duplicate_window: nanos(Math.min(120_000, this.options.maxAgeMs)),
      ...this.#limits(),
    });
  }

  #limits(): Pick<StreamConfig, 'num_replicas' | 'max_age' | 'max_bytes'> {
    return {
      num_replicas: this.options.replicas,
      max_age: nanos(this.options.maxAgeMs),
      max_bytes: this.options.maxBytes,
    };
  }
}

/**
 * Deletes the event stream of a deployment with its consumers, because a restored database does not match it. The apps,
 * which must not run, create it again at their next start.
 */
export async function deleteEventStream(connection: NatsConnection, prefix: string): Promise<void> {
  const manager = await jetstreamManager(connection);
  await findOrNull(manager.streams.delete(streamNameOf(prefix)));
}

/** Name of the durable consumer with which an app receives the events of one source and partition. */
export function consumerNameOf(app: string, source: string, partition: number): string {
  return `${app}-${source}-${partition}`;
}

export function streamNameOf(prefix: string): string {
  return `${prefix}-events`;
}

/** Returns whether the server's configuration contains the values of ours; the server adds defaults. */
function isPartOf<Config extends object>(expected: Partial<Config>, actual: Config): boolean {
  return (Object.keys(expected) as (keyof Config)[]).every((key) => actual[key] === expected[key]);
}

/** Delays before a rejected envelope is redelivered and before a lost consumer is recreated. */
const RETRY_BACKOFF = { baseDelayMs: 200, maxDelayMs: 5_000 };

export interface JetStreamPullConsumerOptions {
  client: JetStreamClient;
  stream: JetStreamEventStream;
  /** Creates the durable consumer if it does not exist and returns its name. */
  ensureConsumer: () => Promise<string>;
  deliver: (envelope: Envelope, pending: number) => Promise<void>;
  deliverMalformed: (message: MalformedMessage) => Promise<void>;
  ackWaitMs: number;
  logger: EventBusLogger;
}

/** Pulls the envelopes of one durable consumer, one at a time, and recreates the consumer if it is deleted. */
export class JetStreamPullConsumer {
  readonly #wakeSignal = new WakeSignal();
  #messages: ConsumerMessages | null = null;
  #loop: Promise<void> | null = null;
  #isClosing = false;

  constructor(private readonly options: JetStreamPullConsumerOptions) {}

  /** Resolves once the consumer exists and the server stores the consumer's position in the stream. */
  async start(): Promise<void> {
    await this.options.ensureConsumer();
    this.#loop = this.#run();
  }

  /** Stops after the envelope in progress. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#wakeSignal.notify();
    void this.#messages?.close();
    await this.#loop;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#isClosing) {
      try {
        await this.#pull(() => (failures = 0));
      } catch (error) {
        if (failures === 0 && !this.#isClosing) this.options.logger.warn('Event consumer interrupted', { error });
      }
      if (!this.#isClosing) await this.#wakeSignal.wait(backoffMs(RETRY_BACKOFF, ++failures));
    }
  }

  /**
   * Pulls envelopes; returns or rejects when the consumer is deleted or the connection is closed.
   *
   * @param onMessage - called for each received message
   */
  async #pull(onMessage: () => void): Promise<void> {
    const { client, stream, ensureConsumer } = this.options;
    const consumer = await client.consumers.get(stream.name, await ensureConsumer());
    const messages = await consumer.consume({
      max_messages: 1,
      expires: 30_000,
      // After two missed heartbeats the consumer is checked and recreated. The server reports most losses earlier. A short
      // interval would be most of an idle server's work, because an app has dozens of consumers.
      idle_heartbeat: 5_000,
      abort_on_missing_resource: true,
    });
    this.#messages = messages;
    if (this.#isClosing) void messages.close();
    for await (const message of messages) {
      onMessage();
      await this.#process(message);
      if (this.#isClosing) break;
    }
  }

  async #process(message: JsMsg): Promise<void> {
    const { ackWaitMs, logger } = this.options;
    const progressTimer = setInterval(() => message.working(), ackWaitMs / 3);
    try {
      await this.#deliver(message);
      message.ack();
    } catch (error) {
      const attempt = message.info.deliveryCount;
      if (attempt === 1) logger.warn('Envelope handling failed, awaiting redelivery', { sequence: message.seq, error });
      message.nak(backoffMs(RETRY_BACKOFF, attempt));
    } finally {
      clearInterval(progressTimer);
    }
  }

  /**
   * Delivers the events of a message. Bytes that are no event are delivered separately, because a message that always
   * fails would block its partition permanently.
   */
  async #deliver(message: JsMsg): Promise<void> {
    const { deliver, deliverMalformed } = this.options;
    let envelope: ParsedEnvelope;
    try {
      envelope = parseEnvelope(message.string());
    } catch (error) {
      return deliverMalformed({ raw: message.data, reason: errorText(error) });
    }
    const { malformed, ...valid } = envelope;
    for (const { text, reason } of malformed) await deliverMalformed({ raw: Buffer.from(text), reason });
    if (valid.events.length > 0) await deliver(valid, message.info.pending);
  }
}
