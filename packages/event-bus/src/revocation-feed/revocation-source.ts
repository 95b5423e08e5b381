import type { Revocation } from '@family-watch/domain/kernel/contracts/revocation';

/** Reads revocations from the database, in which each revocation was committed together with its cause. */
export interface RevocationSource {
  /** @param time Unix milliseconds, inclusive */
  listSince(time: number): Promise<Revocation[]>;
}
