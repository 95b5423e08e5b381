import type { ConsumerMessages, JetStreamClient, JsMsg } from '@nats-io/jetstream';
import { type Envelope, parseEnvelope } from './envelope.js';
import type { JetStreamEventStream } from './jetstream-event-stream.js';
import type { EventBusLogger } from './logger.js';
import { backoffMs } from './retry-policy.js';
import { WakeSignal } from './wake-signal.js';

/** Pauses after a refused envelope and after a lost consumer. */
const pauses = { baseMs: 200, maxMs: 5_000 };

export interface JetStreamPullConsumerOptions {
  client: JetStreamClient;
  stream: JetStreamEventStream;
  /** Makes the durable consumer if it is missing and returns its name. */
  ensureConsumer: () => Promise<string>;
  deliver: (envelope: Envelope) => Promise<void>;
  ackWaitMs: number;
  logger: EventBusLogger;
}

/** Pulls the envelopes of one durable consumer, one at a time, and makes the consumer again when it is gone. */
export class JetStreamPullConsumer {
  readonly #wakeSignal = new WakeSignal();
  #messages: ConsumerMessages | null = null;
  #loop: Promise<void> | null = null;
  #closing = false;

  constructor(private readonly options: JetStreamPullConsumerOptions) {}

  /** Resolves once the consumer exists: from then on the stream keeps its place. */
  async start(): Promise<void> {
    await this.options.ensureConsumer();
    this.#loop = this.#run();
  }

  /** Ends after the envelope under way. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#wakeSignal.notify();
    void this.#messages?.close();
    await this.#loop;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#closing) {
      try {
        await this.#pull(() => (failures = 0));
      } catch (error) {
        if (failures === 0 && !this.#closing) this.options.logger.warn('Event consumer interrupted', { error });
      }
      if (!this.#closing) await this.#wakeSignal.wait(backoffMs(pauses, ++failures));
    }
  }

  /** Returns or rejects when the consumer is gone or the connection is closed. */
  async #pull(works: () => void): Promise<void> {
    const { client, stream, ensureConsumer } = this.options;
    const consumer = await client.consumers.get(stream.name, await ensureConsumer());
    const messages = await consumer.consume({
      max_messages: 1,
      expires: 30_000,
      // A deleted stream says nothing (2.9). After two missed heartbeats the consumer is looked for, and made again.
      idle_heartbeat: 2_000,
      abort_on_missing_resource: true,
    });
    this.#messages = messages;
    if (this.#closing) void messages.close();
    for await (const message of messages) {
      works();
      await this.#take(message);
      if (this.#closing) break;
    }
  }

  async #take(message: JsMsg): Promise<void> {
    const { deliver, ackWaitMs, logger } = this.options;
    const envelope = this.#read(message);
    if (!envelope) return;
    const working = setInterval(() => message.working(), ackWaitMs / 3);
    try {
      await deliver(envelope);
      message.ack();
    } catch (error) {
      const attempt = message.info.deliveryCount;
      if (attempt === 1) logger.warn('Envelope handling failed, awaiting redelivery', { envelope: envelope.id, error });
      message.nak(backoffMs(pauses, attempt));
    } finally {
      clearInterval(working);
    }
  }

  #read(message: JsMsg): Envelope | null {
    try {
      return parseEnvelope(message.string());
    } catch (error) {
      // Not from a relay of ours. It would block its partition for ever.
      this.options.logger.error('Malformed envelope dropped', { subject: message.subject, error });
      message.term();
      return null;
    }
  }
}
