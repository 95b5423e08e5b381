import type { Revocation, RevocationPublisher } from '@family-watch/domain/kernel/contracts/revocation';
import type { NatsRevocationFeed, NatsRevocationFeedOptions } from './nats-revocation-feed.js';
import { MAX_COMMIT_DELAY_MS, REVOCATION_RETENTION_MS, HEARTBEAT_INTERVAL_MS } from './revocation-limits.js';
import type { RevocationSource } from './revocation-source.js';
import { RevocationStream, HEARTBEAT_SUBJECT } from './revocation-stream.js';

/** How often the stream is compared with the database, in ticks. */
const TICKS_PER_REPAIR = 2;

export interface NatsRevocationPublisherOptions extends NatsRevocationFeedOptions {
  /** This process's own feed: it knows at once, and tells what the stream has. */
  feed: NatsRevocationFeed;
}

/**
 * The writing side, on every replica of userctx: puts revocations into the stream, says every 500 ms how far the
 * stream has come, and brings what the database has and the stream lacks (a crash between commit and publication, a
 * stream that was lost). It stays silent while it holds something that the stream has not taken, and until the
 * database has filled a stream that is new: who hears a tick can trust the stream.
 */
export class NatsRevocationPublisher implements RevocationPublisher {
  readonly #pending = new Map<string, Revocation>();
  #source: RevocationSource | null = null;
  #repairedUpTo = 0;
  #repairedIdentity: string | null = null;
  #sequence = 0;
  #ticks = 0;
  #failing = false;
  #timer?: NodeJS.Timeout;
  #turn: Promise<void> | null = null;
  #repair: Promise<void> | null = null;

  private constructor(
    private readonly options: NatsRevocationPublisherOptions,
    private readonly stream: RevocationStream,
  ) {}

  /** Makes the stream if there is none. Ticks begin with {@link start}. */
  static async open(options: NatsRevocationPublisherOptions): Promise<NatsRevocationPublisher> {
    const stream = await RevocationStream.open(options);
    await stream.ensure();
    return new NatsRevocationPublisher(options, stream);
  }

  /** Begins to tick, and to repair the stream from the database. */
  start(source: RevocationSource): void {
    this.#source = source;
    const turn = (): void => {
      // A turn that hangs delays the next: silence is what tells of it.
      this.#turn ??= this.#tick().finally(() => (this.#turn = null));
    };
    turn();
    this.#timer = setInterval(turn, HEARTBEAT_INTERVAL_MS).unref();
  }

  /** Resolves when the stream has taken all; otherwise it is tried again with every tick. */
  async revoke(revocations: Revocation[]): Promise<void> {
    this.options.feed.applyLocally(revocations);
    for (const revocation of revocations) this.#pending.set(revocation.id, revocation);
    await Promise.all(revocations.map((revocation) => this.#publish(revocation)));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#turn;
    await this.#repair;
  }

  async #publish(revocation: Revocation): Promise<void> {
    await this.stream.publish(revocation);
    this.#pending.delete(revocation.id);
  }

  async #tick(): Promise<void> {
    try {
      for (const revocation of this.#pending.values()) await this.#publish(revocation);
      const mark = await this.stream.ensure();
      if (mark.identity !== this.#repairedIdentity || (mark.sequence > 0 && mark.sequence < this.#sequence)) {
        // A stream made anew, or one that lost its tail in a crash, is vouched for when the database has filled it.
        await this.#fill(mark.identity);
      } else {
        // Not waited for: ticks go on while the database is slow or away, when it commits no revocations either.
        if (this.#ticks % TICKS_PER_REPAIR === 0) this.#startRepair();
        this.options.pubSub.publish(HEARTBEAT_SUBJECT, mark);
      }
      this.#sequence = mark.sequence;
      this.#ticks += 1;
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.options.logger.warn('Revocation publish failed', { error });
      this.#failing = true;
    }
  }

  async #fill(identity: string): Promise<void> {
    const now = Date.now();
    const kept = (await this.#source?.listSince(now - REVOCATION_RETENTION_MS)) ?? [];
    this.options.feed.applyLocally(kept);
    // What the stream has already is dropped there by its id.
    for (const revocation of kept) await this.stream.publish(revocation);
    this.#repairedUpTo = now;
    this.#repairedIdentity = identity;
  }

  #startRepair(): void {
    this.#repair ??= this.#bringMissing()
      .catch((error: unknown) => this.options.logger.warn('Revocation query failed', { error }))
      .finally(() => (this.#repair = null));
  }

  async #bringMissing(): Promise<void> {
    const now = Date.now();
    const kept = (await this.#source?.listSince(this.#repairedUpTo - MAX_COMMIT_DELAY_MS)) ?? [];
    this.options.feed.applyLocally(kept);
    const missing = kept.filter(({ id }) => !this.options.feed.hasConsumed(id));
    for (const revocation of missing) await this.stream.publish(revocation);
    this.#repairedUpTo = now;
  }
}
