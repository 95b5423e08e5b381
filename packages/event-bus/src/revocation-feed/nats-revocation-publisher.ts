import type { Revocation, RevocationPublisher } from '@family-watch/domain/kernel/contracts/revocation';
import type { NatsRevocationFeed, NatsRevocationFeedOptions } from './nats-revocation-feed.js';
import {
  MAX_COMMIT_DELAY_MS,
  REVOCATION_RETENTION_MS,
  HEARTBEAT_INTERVAL_MS,
  type RevocationSource,
} from './revocation-index.js';
import { RevocationStream, HEARTBEAT_SUBJECT } from './revocation-stream.js';

/** Number of heartbeats between two comparisons of the stream with the database. */
const HEARTBEATS_PER_REPAIR = 2;

export interface NatsRevocationPublisherOptions extends NatsRevocationFeedOptions {
  /** The feed of this process, which receives revocations immediately and reports what the stream has delivered. */
  feed: NatsRevocationFeed;
}

/**
 * Publishes revocations to the stream; runs on every replica of userctx. The publisher reports the stream's position in
 * a heartbeat every 500 ms. The publisher also publishes revocations that are in the database but not in the stream,
 * after a crash between commit and publish or a loss of the stream. A heartbeat means that the stream is complete: the
 * publisher sends no heartbeat while a revocation is unpublished or a new stream lacks the revocations of the database.
 */
export class NatsRevocationPublisher implements RevocationPublisher {
  readonly #pending = new Map<string, Revocation>();
  #source: RevocationSource | null = null;
  #repairedUpTo = 0;
  #repairedIdentity: string | null = null;
  #lastSequence = 0;
  #heartbeatCount = 0;
  #isFailing = false;
  #timer?: NodeJS.Timeout;
  #currentHeartbeat: Promise<void> | null = null;
  #currentRepair: Promise<void> | null = null;

  private constructor(
    private readonly options: NatsRevocationPublisherOptions,
    private readonly stream: RevocationStream,
  ) {}

  /** Opens a publisher and creates the stream if it does not exist. {@link start} starts the heartbeats. */
  static async open(options: NatsRevocationPublisherOptions): Promise<NatsRevocationPublisher> {
    const stream = await RevocationStream.open(options);
    await stream.ensureExists();
    return new NatsRevocationPublisher(options, stream);
  }

  /** Starts the heartbeats and the repair of the stream from the database. */
  start(source: RevocationSource): void {
    this.#source = source;
    this.options.feed.useSource(source);
    const run = (): void => {
      // While a heartbeat does not complete, no other heartbeat is sent, so that the feeds become stale.
      this.#currentHeartbeat ??= this.#heartbeat().finally(() => (this.#currentHeartbeat = null));
    };
    run();
    this.#timer = setInterval(run, HEARTBEAT_INTERVAL_MS).unref();
  }

  /**
   * Resolves once the stream has accepted all revocations. After a failure the publisher retries the unpublished
   * revocations with every heartbeat.
   */
  async revoke(revocations: Revocation[]): Promise<void> {
    this.options.feed.applyLocally(revocations);
    for (const revocation of revocations) this.#pending.set(revocation.id, revocation);
    await Promise.all(revocations.map((revocation) => this.#publish(revocation)));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#currentHeartbeat;
    await this.#currentRepair;
  }

  async #publish(revocation: Revocation): Promise<void> {
    await this.stream.publish(revocation);
    this.#pending.delete(revocation.id);
  }

  async #heartbeat(): Promise<void> {
    try {
      for (const revocation of this.#pending.values()) await this.#publish(revocation);
      const position = await this.stream.ensureExists();
      if (
        position.identity !== this.#repairedIdentity ||
        (position.sequence > 0 && position.sequence < this.#lastSequence)
      ) {
        // A stream that was recreated, or lost its newest messages in a crash, is first filled from the database.
        await this.#fillStream(position.identity);
      } else {
        // The repair is not awaited, so that heartbeats continue while the database is slow or down. No revocation can
        // be committed while the database is down.
        if (this.#heartbeatCount % HEARTBEATS_PER_REPAIR === 0) this.#startRepair();
        this.options.pubSub.publish(HEARTBEAT_SUBJECT, position);
      }
      this.#lastSequence = position.sequence;
      this.#heartbeatCount += 1;
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.options.logger.warn('Revocation publish failed', { error });
      this.#isFailing = true;
    }
  }

  /** Publishes all revocations of the database to a new stream. */
  async #fillStream(identity: string): Promise<void> {
    const now = Date.now();
    const stored = (await this.#source?.listSince(now - REVOCATION_RETENTION_MS)) ?? [];
    this.options.feed.applyLocally(stored);
    // The stream discards duplicates by id.
    for (const revocation of stored) await this.stream.publish(revocation);
    this.#repairedUpTo = now;
    this.#repairedIdentity = identity;
  }

  #startRepair(): void {
    this.#currentRepair ??= this.#publishMissing()
      .catch((error: unknown) => this.options.logger.warn('Revocation query failed', { error }))
      .finally(() => (this.#currentRepair = null));
  }

  async #publishMissing(): Promise<void> {
    const now = Date.now();
    const stored = (await this.#source?.listSince(this.#repairedUpTo - MAX_COMMIT_DELAY_MS)) ?? [];
    this.options.feed.applyLocally(stored);
    const missing = stored.filter(({ id }) => !this.options.feed.hasConsumed(id));
    for (const revocation of missing) await this.stream.publish(revocation);
    this.#repairedUpTo = now;
  }
}
