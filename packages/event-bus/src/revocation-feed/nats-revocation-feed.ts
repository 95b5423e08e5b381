import { type ConsumerMessages, DeliverPolicy, type JsMsg } from '@nats-io/jetstream';
import type { Revocation, RevocationFeed, TokenIdentity } from '@family-watch/domain/kernel/contracts/revocation';
import { ListenerRegistry } from '../listener-registry.js';
import type { EventBusLogger } from '../logger.js';
import type { PubSub, PubSubSubscription } from '../pub-sub.js';
import { WakeSignal } from '../wake-signal.js';
import { FEED_STALE_AFTER_MS } from './revocation-limits.js';
import { parseRevocation } from './revocation-message.js';
import { RevocationIndex } from './revocation-index.js';
import {
  RevocationStream,
  type RevocationStreamOptions,
  type RevocationStreamPosition,
  HEARTBEAT_SUBJECT,
} from './revocation-stream.js';

const RETRY_MS = 250;
const WATCH_MS = 100;
const PRUNE_MS = 60_000;

export interface NatsRevocationFeedOptions extends RevocationStreamOptions {
  pubSub: PubSub;
  logger: EventBusLogger;
}

/**
 * The feed of an app that is a process of its own. It reads the whole stream, then follows it. It is fresh while the
 * writing side says, by a tick at least every two seconds, how far the stream has come, and this process has read
 * that far: a revocation that is stuck anywhere closes the doors. Connection and signals belong to the caller.
 */
export class NatsRevocationFeed implements RevocationFeed {
  readonly #register = new RevocationIndex();
  readonly #inStream = new Set<string>();
  readonly #revoked: ListenerRegistry<Revocation>;
  readonly #freshness: ListenerRegistry<boolean>;
  readonly #retry = new WakeSignal();
  #read: RevocationStreamPosition | null = null;
  #awaited: { mark: RevocationStreamPosition; at: number } | null = null;
  #caughtUpAt = Number.NEGATIVE_INFINITY;
  #toldFresh = false;
  #seenSilent = false;
  #closing = false;
  #messages: ConsumerMessages | null = null;
  #loop: Promise<void> = Promise.resolve();
  #subscriptions: PubSubSubscription[] = [];
  #timers: NodeJS.Timeout[] = [];

  private constructor(
    private readonly options: NatsRevocationFeedOptions,
    private readonly stream: RevocationStream,
  ) {
    this.#revoked = new ListenerRegistry(options.logger);
    this.#freshness = new ListenerRegistry(options.logger);
  }

  /** Starts to read; the feed is fresh once all that is in the stream has been read and the writing side is heard. */
  static async open(options: NatsRevocationFeedOptions): Promise<NatsRevocationFeed> {
    const feed = new NatsRevocationFeed(options, await RevocationStream.open(options));
    feed.#start();
    return feed;
  }

  get isFresh(): boolean {
    return performance.now() - this.#caughtUpAt <= FEED_STALE_AFTER_MS;
  }

  isRevoked(token: TokenIdentity): boolean {
    return this.#register.isRevoked(token);
  }

  onRevoked(listener: (revocation: Revocation) => void): () => void {
    return this.#revoked.add('revoked', listener);
  }

  onFreshness(listener: (fresh: boolean) => void): () => void {
    return this.#freshness.add('freshness', listener);
  }

  /** What the writing side knows before the stream has brought it back. */
  applyLocally(revocations: readonly Revocation[]): void {
    for (const revocation of revocations) {
      if (this.#register.add(revocation)) this.#revoked.call('revoked', revocation);
    }
  }

  /** Whether the stream has brought this revocation. */
  hasConsumed(id: string): boolean {
    return this.#inStream.has(id);
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#timers.forEach((timer) => clearInterval(timer));
    this.#subscriptions.forEach((subscription) => subscription.close());
    this.#retry.notify();
    void this.#messages?.close();
    await this.#loop;
    this.#caughtUpAt = Number.NEGATIVE_INFINITY;
    this.#tellFreshness();
  }

  #start(): void {
    const { pubSub } = this.options;
    this.#subscriptions = [
      pubSub.subscribe(HEARTBEAT_SUBJECT, (tick) => this.#onTick(tick as RevocationStreamPosition)),
      // A server that crashed may have lost the end of the stream and give its sequences out again.
      pubSub.onReconnect(() => void this.#messages?.close()),
    ];
    this.#loop = this.#run();
    this.#timers = [
      setInterval(() => this.#tellFreshness(), WATCH_MS).unref(),
      setInterval(() => this.#prune(), PRUNE_MS).unref(),
    ];
  }

  #prune(): void {
    this.#register.prune(Date.now());
    for (const id of this.#inStream) if (!this.#register.has(id)) this.#inStream.delete(id);
  }

  #onTick(mark: RevocationStreamPosition): void {
    this.#awaited = { mark, at: performance.now() };
    // The stream was made anew: what was read belongs to another one.
    if (this.#read && this.#read.identity !== mark.identity) void this.#messages?.close();
    this.#noteProgress();
  }

  #noteProgress(): void {
    const { mark, at } = this.#awaited ?? {};
    if (!mark || at === undefined || this.#read?.identity !== mark.identity) return;
    if (this.#read.sequence >= mark.sequence) this.#caughtUpAt = Math.max(this.#caughtUpAt, at);
    this.#tellFreshness();
  }

  #tellFreshness(): void {
    const fresh = this.isFresh;
    // A process that stood still finds the ticks of that time waiting in its socket: they are read before doors close.
    const seenSilent = this.#seenSilent;
    this.#seenSilent = !fresh;
    if (fresh === this.#toldFresh || (!fresh && !seenSilent && !this.#closing)) return;
    this.#toldFresh = fresh;
    if (fresh) this.options.logger.info('Revocation feed is current');
    else this.options.logger.warn('Revocation feed is stale, rejecting requests');
    this.#freshness.call('freshness', fresh);
  }

  async #run(): Promise<void> {
    while (!this.#closing) {
      try {
        await this.#follow();
      } catch (error) {
        if (!this.#closing) this.options.logger.warn('Revocation stream interrupted', { error });
      }
      this.#read = null;
      if (!this.#closing) await this.#retry.wait(RETRY_MS);
    }
  }

  /** Reads from the first revocation on; returns or rejects when stream or consumer are gone. */
  async #follow(): Promise<void> {
    const mark = await this.stream.position();
    // The writing side makes it.
    if (!mark) return;
    const consumer = await this.stream.client.consumers.get(this.stream.name, { deliver_policy: DeliverPolicy.All });
    const messages = await consumer.consume({ idle_heartbeat: 1_000, expires: 5_000, abort_on_missing_resource: true });
    this.#messages = messages;
    this.#inStream.clear();
    this.#read = { identity: mark.identity, sequence: 0 };
    this.#noteProgress();
    if (this.#closing) void messages.close();
    for await (const message of messages) this.#take(message);
  }

  #take(message: JsMsg): void {
    const revocation = parseRevocation(message.string());
    if (revocation) {
      this.#inStream.add(revocation.id);
      this.applyLocally([revocation]);
    } else {
      // Not from a writing side of ours; what is behind it must still be read.
      this.options.logger.error('Malformed revocation dropped', { sequence: message.seq });
    }
    if (this.#read) this.#read.sequence = message.seq;
    this.#noteProgress();
  }
}
