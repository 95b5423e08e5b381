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

/** JetStream's codes for "stream not found" and "stream name already in use". */
const STREAM_NOT_FOUND = 10059;
const STREAM_NAME_IN_USE = 10058;

export interface JetStreamEventStreamOptions {
  /** First token of all subjects and part of the stream's name, so that deployments can share a server. */
  prefix: string;
  /** 1, or 3 in a cluster. */
  replicas: number;
  /** How long the stream keeps envelopes, milliseconds. */
  maxAgeMs: number;
  /** Size at which the stream refuses more; -1 for none. Refused envelopes stay in their outbox. */
  maxBytes: number;
  /** Time without acknowledgement or sign of life after which an envelope goes to another replica, milliseconds. */
  ackWaitMs: number;
}

/** The one stream of a deployment and its durable consumers, made where they are missing. */
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

  /** The stream as it is; makes it if it is gone, and brings its limits to what the options say. */
  async ensure(): Promise<StreamInfo> {
    const info = (await this.#find()) ?? (await this.#make());
    const wanted = this.#limits();
    const differs = (Object.keys(wanted) as (keyof typeof wanted)[]).some((key) => info.config[key] !== wanted[key]);
    return differs ? this.manager.streams.update(this.name, wanted) : info;
  }

  /**
   * A durable pull consumer for one app, source and partition; returns its name. One envelope is out at a time,
   * which is what keeps the order with any number of replicas. Each has one exact subject: wildcards over many
   * subjects make the server slow.
   */
  async ensureConsumer(app: string, source: string, partition: number): Promise<string> {
    const name = `${app}-${source}-${partition}`;
    await this.ensure();
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

  async #make(): Promise<StreamInfo> {
    try {
      return await this.manager.streams.add({
        name: this.name,
        subjects: [`${this.options.prefix}.events.*.*`],
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
        // Old envelopes may not have been consumed: a full stream refuses new ones instead.
        discard: DiscardPolicy.New,
        duplicate_window: nanos(Math.min(120_000, this.options.maxAgeMs)),
        ...this.#limits(),
      });
    } catch (error) {
      // Another process was faster.
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
