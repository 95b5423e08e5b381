import { createHash } from 'node:crypto';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import { SNAPSHOT_ID_FIELDS, type Snapshot } from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { quoteSchema } from './event-bus-schema.js';

/** Returns the names of all snapshot events and of their id fields, as two arrays for `unnest`. */
export function snapshotNamesAndIdFields(): [string[], string[]] {
  return [Object.keys(SNAPSHOT_ID_FIELDS), Object.values(SNAPSHOT_ID_FIELDS)];
}

/**
 * Creates the event with which a handler repairs its projection. The id of the event depends only on event name, object
 * and version, so repairs of the same version in several processes have the same event id.
 */
export function createRepairEvent(name: string, { id, version, key, payload }: Snapshot, time: number): DomainEvent {
  const digest = createHash('sha256').update(`${name} ${id} ${version}`).digest('hex');
  const groups = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, `8${digest.slice(17, 20)}`];
  return { id: [...groups, digest.slice(20, 32)].join('-'), name, key, time, payload };
}

/** An event that a handler has not processed, because the event is in the retry queue or a dead letter. */
export interface UnprocessedEvent {
  handler: string;
  key: string;
  name: string;
  /** Id of the object if the event is a snapshot, otherwise null. */
  id: string | null;
}

/** The last event of a handler and key in the retry queue, and the last dead letter; null if there is none. */
export interface UnprocessedPosition {
  position: string | null;
  deadLetterId: string | null;
}

/** Maximum number of unprocessed events that one query returns, which limits the memory of the query. */
export const MAX_UNPROCESSED_EVENTS = 50_000;

/** Queries the retry queue and the dead letters together. */
export class UnprocessedEventRepository {
  readonly #schema: string;

  constructor(private readonly scope: TransactionScope) {
    this.#schema = quoteSchema(scope.schema);
  }

  /** Returns the unprocessed events of these handlers, at most `MAX_UNPROCESSED_EVENTS`. */
  find(handlers: readonly string[]): Promise<UnprocessedEvent[]> {
    return this.scope.executor.query<UnprocessedEvent>(
      `WITH unprocessed AS (
         SELECT handler, key, event FROM ${this.#schema}.parked WHERE handler = ANY($1::text[])
         UNION ALL
         SELECT handler, key, event FROM ${this.#schema}.dead_letter WHERE handler = ANY($1::text[])
       )
       SELECT DISTINCT handler, key, event ->> 'name' AS name, event -> 'payload' ->> id_field AS id
       FROM unprocessed LEFT JOIN unnest($2::text[], $3::text[]) AS snapshot (name, id_field)
         ON snapshot.name = event ->> 'name'
       LIMIT $4`,
      [handlers, ...snapshotNamesAndIdFields(), MAX_UNPROCESSED_EVENTS],
    );
  }

  /**
   * Deletes the handler's unprocessed events of an object whose version is not newer than that of the snapshot. Must
   * run in the transaction that has stored the snapshot.
   */
  async deleteSuperseded(handler: string, event: string, { id, key, version }: Snapshot): Promise<void> {
    const parameters = [handler, key, event, SNAPSHOT_ID_FIELDS[event], id, version];
    for (const table of ['parked', 'dead_letter']) {
      await this.scope.executor.query(
        `DELETE FROM ${this.#schema}.${table}
         WHERE handler = $1 AND key = $2 AND event ->> 'name' = $3 AND event -> 'payload' ->> $4 = $5
           AND (event -> 'payload' ->> 'version')::bigint <= $6`,
        parameters,
      );
    }
  }

  /** Returns the last position in the retry queue and the last dead letter of a handler and key. */
  async findLast(handler: string, key: string): Promise<UnprocessedPosition> {
    const [row] = await this.scope.executor.query<UnprocessedPosition>(
      `SELECT
         (SELECT max(position)::text FROM ${this.#schema}.parked WHERE handler = $1 AND key = $2) AS position,
         (SELECT max(id)::text FROM ${this.#schema}.dead_letter WHERE handler = $1 AND key = $2) AS "deadLetterId"`,
      [handler, key],
    );
    return row ?? { position: null, deadLetterId: null };
  }

  /** Deletes the unprocessed events of a handler and key up to these positions. */
  async deleteThrough(handler: string, key: string, through: UnprocessedPosition): Promise<void> {
    const { position, deadLetterId } = through;
    await this.scope.executor.query(
      `DELETE FROM ${this.#schema}.parked WHERE handler = $1 AND key = $2 AND position <= $3::bigint`,
      [handler, key, position],
    );
    await this.scope.executor.query(
      `DELETE FROM ${this.#schema}.dead_letter WHERE handler = $1 AND key = $2 AND id <= $3::bigint`,
      [handler, key, deadLetterId],
    );
  }
}
