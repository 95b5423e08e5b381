import type {
  Revocation,
  RevocationFeed,
  RevocationPublisher,
  TokenIdentity,
} from '@family-watch/domain/kernel/contracts/revocation';
import { type Clock, systemClock } from '../clock.js';
import { ListenerRegistry } from '../pub-sub.js';
import type { EventBusLogger } from '../logger.js';
import {
  MAX_COMMIT_DELAY_MS,
  REVOCATION_RETENTION_MS,
  RevocationIndex,
  type RevocationSource,
} from './revocation-index.js';

const POLL_INTERVAL_MS = 1_000;

export interface InProcessRevocationFeedOptions {
  logger: EventBusLogger;
  clock?: Clock;
  /** Interval of the database queries, milliseconds; 1,000 by default. */
  pollIntervalMs?: number;
}

/**
 * Revocation feed and publisher of a single process. A published revocation takes effect immediately and cannot be
 * lost. The feed reads the database at start and then every second, to find revocations that were committed but not
 * published because the process lost its database connection during the commit.
 */
export class InProcessRevocationFeed implements RevocationFeed, RevocationPublisher {
  readonly #index = new RevocationIndex();
  readonly #revocationListeners: ListenerRegistry<Revocation>;
  readonly #freshnessListeners: ListenerRegistry<boolean>;
  readonly #clock: Clock;
  #fresh = false;
  #timer?: NodeJS.Timeout;
  #polling: Promise<void> = Promise.resolve();

  constructor(private readonly options: InProcessRevocationFeedOptions) {
    this.#revocationListeners = new ListenerRegistry(options.logger);
    this.#freshnessListeners = new ListenerRegistry(options.logger);
    this.#clock = options.clock ?? systemClock;
  }

  /** False until the revocations from before the start have been read. */
  get isFresh(): boolean {
    return this.#fresh;
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

  async revoke(revocations: Revocation[]): Promise<void> {
    this.#apply(revocations);
  }

  /** Reads the revocations from before the start. Rejects if the database cannot be read. */
  async start(source: RevocationSource): Promise<void> {
    let readUpTo = this.#clock.now();
    this.#apply(await source.listSince(readUpTo - REVOCATION_RETENTION_MS));
    const poll = async (): Promise<void> => {
      const now = this.#clock.now();
      this.#apply(await source.listSince(readUpTo - MAX_COMMIT_DELAY_MS));
      this.#index.prune(now);
      readUpTo = now;
    };
    this.#timer = setInterval(() => {
      this.#polling = this.#polling
        .then(poll)
        .catch((error: unknown) => this.options.logger.warn('Revocation query failed', { error }));
    }, this.options.pollIntervalMs ?? POLL_INTERVAL_MS).unref();
    this.#setFresh(true);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#polling;
    this.#setFresh(false);
  }

  #apply(revocations: readonly Revocation[]): void {
    for (const revocation of revocations) {
      if (this.#index.add(revocation)) this.#revocationListeners.callAll('revoked', revocation);
    }
  }

  #setFresh(fresh: boolean): void {
    if (this.#fresh === fresh) return;
    this.#fresh = fresh;
    this.#freshnessListeners.callAll('freshness', fresh);
  }
}
