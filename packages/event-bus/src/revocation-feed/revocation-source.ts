import type { Revocation } from '@family-watch/domain/kernel/contracts/revocation';

/** Reads revocations from the database, where each was committed together with the change that caused it. */
export interface RevocationSource {
  /** @param time Unix milliseconds, inclusive */
  listSince(time: number): Promise<Revocation[]>;
}
