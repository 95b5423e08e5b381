import { createHash } from 'node:crypto';
import type { ChildReadEntity } from '@family-watch/domain/privacy/entities/child-read.entities';

export type ChildReadEntry = Omit<ChildReadEntity, 'hash'>;

/** Returns the hash of an entry, which covers its columns and, by the hash of the previous entry, all earlier entries. */
export function hashEntry(previousHash: Buffer, entry: ChildReadEntry): Buffer {
  const { cid, sequence, viewer, kind, hour, recordedAt } = entry;
  const columns = JSON.stringify([cid, sequence, viewer, kind, hour, recordedAt]);
  return createHash('sha256').update(previousHash).update(columns).digest();
}

/** Position in a chain: the entries up to `sequence` are verified, and the last of them has this hash. */
export interface ChainPosition {
  sequence: number;
  hash: Buffer;
}

/**
 * Verifies the entries that follow a position.
 * @returns the position after the entries, or the number of the first entry that is missing or was changed
 */
export function verifyEntries(start: ChainPosition, entries: readonly ChildReadEntity[]): ChainPosition | number {
  let { sequence, hash } = start;
  for (const entry of entries) {
    sequence += 1;
    if (entry.sequence !== sequence || !hashEntry(hash, entry).equals(entry.hash)) return sequence;
    hash = entry.hash;
  }
  return { sequence, hash };
}
