import type { Revocation } from '@family-watch/domain/kernel/contracts/revocation';

/** The database side of the feed: every revocation was committed there with the change that caused it. */
export interface RevocationSource {
  /** @param time Unix milliseconds, inclusive */
  listSince(time: number): Promise<Revocation[]>;
}
