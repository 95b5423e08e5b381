import { createHash } from 'node:crypto';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import { SNAPSHOT_ID_FIELDS, type Snapshot } from '@family-watch/domain/kernel/contracts/snapshot-source';

/** Returns the names of all snapshot events and their id fields, as two arrays for `unnest`. */
export function namesAndIdFields(): [string[], string[]] {
  return [Object.keys(SNAPSHOT_ID_FIELDS), Object.values(SNAPSHOT_ID_FIELDS)];
}

/**
 * Returns the event with which a projection is repaired. The id of the event depends only on object and version, so
 * that a repair in several processes has the effects of one event.
 */
export function repairEvent(name: string, { id, version, key, payload }: Snapshot, time: number): DomainEvent {
  const digest = createHash('sha256').update(`${name} ${id} ${version}`).digest('hex');
  const groups = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, `8${digest.slice(17, 20)}`];
  return { id: [...groups, digest.slice(20, 32)].join('-'), name, key, time, payload };
}
