import type { Revocation, RevocationFeed, TokenIdentity } from '@family-watch/domain/kernel/contracts/revocation';
import { ListenerRegistry, type PubSub, type PubSubSubscription } from '../pub-sub.js';
import type { EventBusLogger } from '../logger.js';
import { WakeSignal } from '../wake-signal.js';
import {
  FEED_STALE_AFTER_MS,
  MAX_COMMIT_DELAY_MS,
  REVOCATION_RETENTION_MS,
  RevocationIndex,
  type RevocationSource,
} from './revocation-index.js';
import {
  RevocationStream,
  type RevocationStreamOptions,
  type RevocationStreamPosition,
  HEARTBEAT_SUBJECT,
  parseHeartbeat,
} from './revocation-stream.js';

const RETRY_DELAY_MS = 250;
const FRESHNESS_CHECK_INTERVAL_MS = 100;
const PRUNE_INTERVAL_MS = 60_000;
/** Milliseconds without progress of the stream after which the feed queries its source. */
const SOURCE_FALLBACK_AFTER_MS = 1_000;
const SOURCE_CHECK_INTERVAL_MS = 250;

export interface NatsRevocationFeedOptions extends RevocationStreamOptions {
  pubSub: PubSub;
  logger: EventBusLogger;
  /** Source that the feed queries while the stream or its heartbeats are unavailable. */
  source?: RevocationSource;
}

/**
 * Revocation feed of an app that runs as a separate process. The feed reads the whole stream and then each new
 * revocation. The publisher reports the stream's position in heartbeats. The feed is fresh while a heartbeat arrived in
 * the last two seconds and this process has consumed the stream up to the position in the heartbeat. A new revocation
 * usually arrives as a message of core NATS; the next heartbeat makes the feed read it from the stream too, so that a lost
 * message is noticed. The caller owns the connection and the pub/sub object.
 *
 * After one second without progress of the stream the feed queries its source every second instead: userctx over HTTP,
 * or the database in userctx itself. The feed is therefore stale only if neither the stream nor the source is
 * available.
 */
export class NatsRevocationFeed implements RevocationFeed {
  readonly #index = new RevocationIndex();
  readonly #consumedIds = new Set<string>();
  readonly #revocationListeners: ListenerRegistry<Revocation>;
  readonly #freshnessListeners: ListenerRegistry<boolean>;
  readonly #readSignal = new WakeSignal();
  /** Position up to which the feed has read the stream; null if the feed must read all messages. */
  #consumed: RevocationStreamPosition | null = null;
  /** Position in the last heartbeat, and when the heartbeat arrived, milliseconds of the monotonic clock. */
  #lastHeartbeat: { position: RevocationStreamPosition; receivedAt: number } | null = null;
  /** When the feed was last known to have all revocations, milliseconds of the monotonic clock. */
  #caughtUpAt = Number.NEGATIVE_INFINITY;
  #reportedFresh = false;
  #wasStale = false;
  #isClosing = false;
  #isReadFailing = false;
  #loop: Promise<void> = Promise.resolve();
  #source: RevocationSource | undefined;
  /** Time up to which the source has returned all revocations, Unix milliseconds. */
  #sourceReadUpTo = 0;
  #isQueryingSource = false;
  #isSourceFailing = false;
  #subscriptions: PubSubSubscription[] = [];
  #timers: NodeJS.Timeout[] = [];

  private constructor(
    private readonly options: NatsRevocationFeedOptions,
    private readonly stream: RevocationStream,
  ) {
    this.#revocationListeners = new ListenerRegistry(options.logger);
    this.#freshnessListeners = new ListenerRegistry(options.logger);
    this.#source = options.source;
  }

  /** Opens a feed, which is fresh once it has consumed the stream and received a heartbeat of the publisher. */
  static async open(options: NatsRevocationFeedOptions): Promise<NatsRevocationFeed> {
    const feed = new NatsRevocationFeed(options, await RevocationStream.open(options));
    feed.#start();
    return feed;
  }

  get isFresh(): boolean {
    return performance.now() - this.#caughtUpAt <= FEED_STALE_AFTER_MS;
  }

  isRevoked(token: TokenIdentity): boolean {
    return this.#index.isRevoked(token);
  }

  onRevoked(listener: (revocation: Revocation) => void): () => void {
    return this.#revocationListeners.add('revoked', listener);
  }

  onFreshnessChange(listener: (fresh: boolean) => void): () => void {
    return this.#freshnessListeners.add('freshness', listener);
  }

  /** Sets the source that the feed queries, for userctx, which opens its database after the feed. */
  useSource(source: RevocationSource): void {
    this.#source = source;
  }

  /** Applies revocations of the publisher in this process before the stream delivers them. */
  applyLocally(revocations: readonly Revocation[]): void {
    for (const revocation of revocations) {
      if (this.#index.add(revocation)) this.#revocationListeners.callAll('revoked', revocation);
    }
  }

  /** Returns whether the stream has delivered this revocation. */
  hasConsumed(id: string): boolean {
    return this.#consumedIds.has(id);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#timers.forEach((timer) => clearInterval(timer));
    this.#subscriptions.forEach((subscription) => subscription.close());
    this.#readSignal.notify();
    await this.#loop;
    this.#caughtUpAt = Number.NEGATIVE_INFINITY;
    this.#reportFreshness();
  }

  #start(): void {
    const { pubSub } = this.options;
    const live = this.stream.follow((revocation) => this.applyLocally([revocation]));
    this.#subscriptions = [
      { close: () => live.unsubscribe() },
      pubSub.subscribe(HEARTBEAT_SUBJECT, (data) => this.#onHeartbeat(parseHeartbeat(data))),
      // Reads the stream again from its start, because a server that crashed may have lost the newest messages and may
      // reuse their sequence numbers.
      pubSub.onReconnect(() => {
        this.#consumed = null;
        this.#readSignal.notify();
      }),
    ];
    this.#loop = this.#run();
    this.#timers = [
      setInterval(() => this.#reportFreshness(), FRESHNESS_CHECK_INTERVAL_MS).unref(),
      setInterval(() => this.#prune(), PRUNE_INTERVAL_MS).unref(),
      setInterval(() => void this.#querySource(), SOURCE_CHECK_INTERVAL_MS).unref(),
    ];
  }

  #prune(): void {
    this.#index.prune(Date.now());
    for (const id of this.#consumedIds) if (!this.#index.has(id)) this.#consumedIds.delete(id);
  }

  async #querySource(): Promise<void> {
    const startedAt = performance.now();
    if (!this.#source || this.#isQueryingSource || startedAt - this.#caughtUpAt < SOURCE_FALLBACK_AFTER_MS) return;
    this.#isQueryingSource = true;
    const now = Date.now();
    try {
      const since = Math.max(now - REVOCATION_RETENTION_MS, this.#sourceReadUpTo - MAX_COMMIT_DELAY_MS);
      this.applyLocally(await this.#source.listSince(since));
      this.#sourceReadUpTo = now;
      this.#caughtUpAt = Math.max(this.#caughtUpAt, startedAt);
      if (this.#isSourceFailing) this.options.logger.info('Revocation source is available again');
      this.#isSourceFailing = false;
      if (!this.#isClosing) this.#reportFreshness();
    } catch (error) {
      if (!this.#isSourceFailing) this.options.logger.warn('Revocation source query failed', { error });
      this.#isSourceFailing = true;
    } finally {
      this.#isQueryingSource = false;
    }
  }

  #onHeartbeat(position: RevocationStreamPosition | null): void {
    if (!position) return;
    this.#lastHeartbeat = { position, receivedAt: performance.now() };
    const isBehind = this.#consumed?.identity !== position.identity || this.#consumed.sequence < position.sequence;
    if (isBehind) this.#readSignal.notify();
    this.#updateProgress();
  }

  #updateProgress(): void {
    const { position, receivedAt } = this.#lastHeartbeat ?? {};
    if (!position || receivedAt === undefined || this.#consumed?.identity !== position.identity) return;
    if (this.#consumed.sequence >= position.sequence) this.#caughtUpAt = Math.max(this.#caughtUpAt, receivedAt);
    this.#reportFreshness();
  }

  #reportFreshness(): void {
    const fresh = this.isFresh;
    // Reports that the feed is stale only when two successive checks find it stale. After the event loop was blocked,
    // the socket may contain heartbeats, which are read between the two checks.
    const wasStale = this.#wasStale;
    this.#wasStale = !fresh;
    if (fresh === this.#reportedFresh || (!fresh && !wasStale && !this.#isClosing)) return;
    this.#reportedFresh = fresh;
    if (fresh) this.options.logger.info('Revocation feed is current');
    else if (!this.#isClosing) this.options.logger.warn('Revocation feed is stale, rejecting requests');
    this.#freshnessListeners.callAll('freshness', fresh);
  }

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      try {
        await this.#readNewMessages();
        this.#isReadFailing = false;
      } catch (error) {
        if (!this.#isReadFailing && !this.#isClosing)
          this.options.logger.warn('Revocation stream interrupted', { error });
        this.#isReadFailing = true;
      }
      // A feed that has read the stream reads it again when a heartbeat reports new messages.
      const isWaiting = this.#consumed !== null && !this.#isReadFailing;
      if (!this.#isClosing) await this.#readSignal.wait(isWaiting ? FEED_STALE_AFTER_MS : RETRY_DELAY_MS);
    }
    this.#consumed = null;
  }

  async #readNewMessages(): Promise<void> {
    const range = await this.stream.range();
    // The stream does not exist until the publisher creates it.
    if (!range) {
      this.#consumed = null;
      return;
    }
    const { identity, last } = range;
    if (this.#consumed?.identity !== identity) {
      this.#consumedIds.clear();
      this.#consumed = { identity, sequence: 0 };
    }
    // After a reconnect during the read, this position is no longer that of the feed.
    const consumed = this.#consumed;
    const first = Math.max(range.first, consumed.sequence + 1);
    await this.stream.read({ first, last }, (revocation, sequence) => this.#process(revocation, sequence));
    consumed.sequence = last;
    this.#updateProgress();
  }

  #process(revocation: Revocation | null, sequence: number): void {
    if (revocation) {
      this.#consumedIds.add(revocation.id);
      this.applyLocally([revocation]);
    } else {
      // No publisher sends malformed messages. Such a message must not prevent the feed from reading the next messages.
      this.options.logger.error('Malformed revocation dropped', { sequence });
    }
  }
}
