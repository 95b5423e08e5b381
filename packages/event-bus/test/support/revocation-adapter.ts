import type { Revocation, RevocationFeed, RevocationPublisher } from '@family-watch/domain/kernel/contracts/revocation';
import type { RevocationSource } from '../../src/revocation-feed/revocation-source.js';

/** The table of revocations, in memory. */
export class RecordedRevocations implements RevocationSource {
  readonly rows: Revocation[] = [];
  away = false;

  async listSince(time: number): Promise<Revocation[]> {
    if (this.away) throw new Error('the database is away');
    return this.rows.filter((row) => row.time >= time);
  }
}

/** One way to carry revocations from where they are made to where they are asked for. */
export interface RevocationAdapter {
  readonly source: RecordedRevocations;
  /** The writing side; made once, after the feeds or before them. */
  startWriting(): Promise<RevocationPublisher>;
  /** The reading side of an app. */
  openFeed(): Promise<RevocationFeed>;
  dispose(): Promise<void>;
}
