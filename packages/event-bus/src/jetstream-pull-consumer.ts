import type { ConsumerMessages, JetStreamClient, JsMsg } from '@nats-io/jetstream';
import { type Envelope, type ParsedEnvelope, parseEnvelope } from './envelope.js';
import { errorText } from './logger.js';
import type { EventBusLogger } from './logger.js';
import type { MalformedMessage } from './event-bus.js';
import type { JetStreamEventStream } from './jetstream-event-bus.js';
import { backoffMs } from './retry-policy.js';
import { WakeSignal } from './wake-signal.js';

/** Backoff after a rejected envelope and after a lost consumer. */
const backoff = { baseDelayMs: 200, maxDelayMs: 5_000 };

export interface JetStreamPullConsumerOptions {
  client: JetStreamClient;
  stream: JetStreamEventStream;
  /** Creates the durable consumer if it does not exist and returns its name. */
  ensureConsumer: () => Promise<string>;
  deliver: (envelope: Envelope) => Promise<void>;
  deliverMalformed: (message: MalformedMessage) => Promise<void>;
  ackWaitMs: number;
  logger: EventBusLogger;
}

/** Pulls the envelopes of one durable consumer, one at a time. The class recreates a deleted consumer. */
export class JetStreamPullConsumer {
  readonly #wakeSignal = new WakeSignal();
  #messages: ConsumerMessages | null = null;
  #loop: Promise<void> | null = null;
  #closing = false;

  constructor(private readonly options: JetStreamPullConsumerOptions) {}

  /** Resolves once the consumer exists and the server stores the consumer's position in the stream. */
  async start(): Promise<void> {
    await this.options.ensureConsumer();
    this.#loop = this.#run();
  }

  /** Stops after the envelope in progress. */
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
      if (!this.#closing) await this.#wakeSignal.wait(backoffMs(backoff, ++failures));
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
      // NATS 2.9 does not report a deleted stream. After two missed heartbeats the consumer is checked and recreated.
      idle_heartbeat: 2_000,
      abort_on_missing_resource: true,
    });
    this.#messages = messages;
    if (this.#closing) void messages.close();
    for await (const message of messages) {
      onMessage();
      await this.#process(message);
      if (this.#closing) break;
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
      message.nak(backoffMs(backoff, attempt));
    } finally {
      clearInterval(progressTimer);
    }
  }

  /** Without `deliverMalformed`, bytes that no outbox relay has sent would block their partition permanently. */
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
    if (valid.events.length > 0) await deliver(valid);
  }
}
