import type { Revocation, RevocationFeed, RevocationPublisher } from '@family-watch/domain/kernel/contracts/revocation';
import type { RevocationSource } from '../../src/revocation-feed/revocation-index.js';

/** In-memory table of revocations. */
export class InMemoryRevocationSource implements RevocationSource {
  readonly revocations: Revocation[] = [];
  isDatabaseDown = false;

  async listSince(time: number): Promise<Revocation[]> {
    if (this.isDatabaseDown) throw new Error('the database is unavailable');
    return this.revocations.filter((row) => row.time >= time);
  }
}

/** A revocation feed implementation for the contract suite. */
export interface RevocationAdapter {
  readonly source: InMemoryRevocationSource;
  /** Starts the publisher; called once, before or after the feeds are opened. */
  startPublisher(): Promise<RevocationPublisher>;
  /** Opens the revocation feed of one app. */
  openFeed(): Promise<RevocationFeed>;
  dispose(): Promise<void>;
}
