import type {
  Revocation,
  RevocationFeed,
  RevocationPublisher,
  TokenIdentity,
} from '@family-watch/domain/kernel/contracts/revocation';
import { type Clock, systemClock } from '../clock.js';
import { ListenerRegistry } from '../listener-registry.js';
import type { EventBusLogger } from '../logger.js';
import { MAX_COMMIT_DELAY_MS, REVOCATION_RETENTION_MS } from './revocation-limits.js';
import { RevocationIndex } from './revocation-index.js';
import type { RevocationSource } from './revocation-source.js';

const REREAD_MS = 1_000;

export interface InProcessRevocationFeedOptions {
  logger: EventBusLogger;
  clock?: Clock;
  /** How often the database is read again, milliseconds. */
  rereadMs?: number;
}

/**
 * Feed and publisher of a single process: what is published is known at once, so nothing can be missed on the way.
 * The database is read at start, and again every second for what was committed although its connection broke before
 * anybody was told.
 */
export class InProcessRevocationFeed implements RevocationFeed, RevocationPublisher {
  readonly #register = new RevocationIndex();
  readonly #revoked: ListenerRegistry<Revocation>;
  readonly #freshness: ListenerRegistry<boolean>;
  readonly #clock: Clock;
  #fresh = false;
  #timer?: NodeJS.Timeout;
  #reading: Promise<void> = Promise.resolve();

  constructor(private readonly options: InProcessRevocationFeedOptions) {
    this.#revoked = new ListenerRegistry(options.logger);
    this.#freshness = new ListenerRegistry(options.logger);
    this.#clock = options.clock ?? systemClock;
  }

  /** False until the revocations of before the start have been read. */
  get isFresh(): boolean {
    return this.#fresh;
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

  async revoke(revocations: Revocation[]): Promise<void> {
    this.#apply(revocations);
  }

  /** Reads the revocations of before the start; rejects when the database cannot be read. */
  async start(source: RevocationSource): Promise<void> {
    let readUpTo = this.#clock.now();
    this.#apply(await source.listSince(readUpTo - REVOCATION_RETENTION_MS));
    const reread = async (): Promise<void> => {
      const now = this.#clock.now();
      this.#apply(await source.listSince(readUpTo - MAX_COMMIT_DELAY_MS));
      this.#register.prune(now);
      readUpTo = now;
    };
    this.#timer = setInterval(() => {
      this.#reading = this.#reading
        .then(reread)
        .catch((error: unknown) => this.options.logger.warn('Revocation query failed', { error }));
    }, this.options.rereadMs ?? REREAD_MS).unref();
    this.#setFresh(true);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reading;
    this.#setFresh(false);
  }

  #apply(revocations: readonly Revocation[]): void {
    for (const revocation of revocations) {
      if (this.#register.add(revocation)) this.#revoked.call('revoked', revocation);
    }
  }

  #setFresh(fresh: boolean): void {
    if (this.#fresh === fresh) return;
    this.#fresh = fresh;
    this.#freshness.call('freshness', fresh);
  }
}
