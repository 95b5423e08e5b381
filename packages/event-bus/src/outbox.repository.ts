import { randomUUID } from 'node:crypto';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import { SNAPSHOT_ID_FIELDS, type UnpublishedSnapshot } from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { quoteSchema } from './event-bus-schema.js';
import type { StreamPosition } from './event-bus.js';
import { PARTITIONS } from './partition.js';
import { snapshotNamesAndIdFields } from './unprocessed-event.repository.js';

/** An unpublished outbox row. */
export interface OutboxRow {
  position: string;
  partition: number;
  payloadBytes: number;
  event: DomainEvent;
}

/** The unpublished rows of one partition. */
export interface PartitionBacklog {
  partition: number;
  unpublished: number;
  /** When the oldest unpublished row was appended, Unix milliseconds. */
  oldestAt: number;
}

/** The names of the snapshot events as SQL literals, so that the planner can use the partial index of these names. */
const SNAPSHOT_NAMES = Object.keys(SNAPSHOT_ID_FIELDS)
  .map((name) => `'${name}'`)
  .join(', ');

interface OutboxDatabaseRow {
  position: string;
  partition: number;
  id: string;
  key: string;
  name: string;
  time: string;
  payload: string;
}

/** Queries and updates the outbox, mainly for the relay. */
export class OutboxRepository {
  readonly #schema: string;

  constructor(private readonly scope: TransactionScope) {
    this.#schema = quoteSchema(scope.schema);
  }

  /**
   * Returns the oldest unpublished rows of each partition, at most `limit` per partition, in order. The limit applies
   * per partition, so that a partition that cannot be published does not block the other partitions.
   */
  async findUnpublished(partitions: readonly number[], limit: number): Promise<OutboxRow[]> {
    const rows = await this.scope.executor.query<OutboxDatabaseRow>(
      `SELECT o.position::text, o.partition, o.id, o.key, o.name, o.time::text, o.payload::text
       FROM unnest($1::smallint[]) AS requested (partition)
       CROSS JOIN LATERAL (
         SELECT * FROM ${this.#schema}.outbox
         WHERE partition = requested.partition AND confirmed_at IS NULL
         ORDER BY position LIMIT $2
       ) o
       ORDER BY o.partition, o.position`,
      [partitions, limit],
    );
    return rows.map((row) => ({
      position: row.position,
      partition: row.partition,
      payloadBytes: Buffer.byteLength(row.payload),
      event: {
        id: row.id,
        name: row.name,
        key: row.key,
        time: Number(row.time),
        payload: JSON.parse(row.payload) as unknown,
      },
    }));
  }

  /**
   * Marks rows as published and stores the stream's sequence, if `holder` still has the lease. Without this condition,
   * an earlier lease holder could mark rows as published that a new stream does not contain.
   */
  async markPublished(holder: string, positions: readonly string[], sequence: number): Promise<void> {
    await this.scope.executor.query(
      `WITH lease AS (
         UPDATE ${this.#schema}.relay SET stream_sequence = greatest(stream_sequence, $2::bigint)
         WHERE holder = $1::uuid RETURNING 1
       )
       UPDATE ${this.#schema}.outbox SET confirmed_at = now()
       WHERE position = ANY($3::bigint[]) AND EXISTS (SELECT FROM lease)`,
      [holder, sequence, positions],
    );
  }

  /** Marks rows appended at or after `since` (Unix milliseconds) as unpublished. Returns the number of rows. */
  async requeueSince(since: number): Promise<number> {
    const [result] = await this.scope.executor.query<{ count: string }>(
      `WITH requeued AS (
         UPDATE ${this.#schema}.outbox SET confirmed_at = NULL
         WHERE confirmed_at IS NOT NULL AND time >= $1 RETURNING 1
       )
       SELECT count(*) FROM requeued`,
      [since],
    );
    return Number(result?.count ?? 0);
  }

  /** Returns the objects whose snapshot events were appended before `until` (Unix milliseconds) and are unpublished. */
  findUnpublishedSnapshots(until: number): Promise<UnpublishedSnapshot[]> {
    return this.scope.executor.query<UnpublishedSnapshot>(
      `SELECT DISTINCT o.name AS event, o.payload ->> snapshot.id_field AS id
       FROM ${this.#schema}.outbox o JOIN unnest($1::text[], $2::text[]) AS snapshot (name, id_field) USING (name)
       WHERE o.confirmed_at IS NULL AND o.name IN (${SNAPSHOT_NAMES}) AND o.time < $3`,
      [...snapshotNamesAndIdFields(), until],
    );
  }

  /** Returns the unpublished rows of each partition that has any; counts at most `limit` rows per partition. */
  async findBacklog(limit: number): Promise<PartitionBacklog[]> {
    const rows = await this.scope.executor.query<{ partition: number; unpublished: number; time: string }>(
      `SELECT requested.partition, unpublished, time::text FROM unnest($1::smallint[]) AS requested (partition)
       CROSS JOIN LATERAL (
         SELECT time FROM ${this.#schema}.outbox
         WHERE partition = requested.partition AND confirmed_at IS NULL
         ORDER BY position LIMIT 1
       ) oldest
       CROSS JOIN LATERAL (
         SELECT count(*)::int AS unpublished FROM (
           SELECT FROM ${this.#schema}.outbox WHERE partition = requested.partition AND confirmed_at IS NULL LIMIT $2
         ) waiting
       ) counted`,
      [[...Array(PARTITIONS).keys()], limit],
    );
    return rows.map(({ partition, unpublished, time }) => ({ partition, unpublished, oldestAt: Number(time) }));
  }

  /** Returns the number of unpublished rows, at most `limit`. */
  async countUnpublished(limit: number): Promise<number> {
    const [result] = await this.scope.executor.query<{ count: string }>(
      `SELECT count(*) FROM (SELECT FROM ${this.#schema}.outbox WHERE confirmed_at IS NULL LIMIT $1) unpublished`,
      [limit],
    );
    return Number(result?.count ?? 0);
  }

  /**
   * Deletes the published ones of the next `limit` rows after position `after` that were appended before `until` (Unix
   * milliseconds).
   *
   * @returns the number of deleted rows, and the position of the last row read; null if no row is left
   */
  async deletePublished(
    until: number,
    after: string,
    limit: number,
  ): Promise<{ deleted: number; position: string | null }> {
    const [result] = await this.scope.executor.query<{ deleted: string; position: string | null }>(
      `WITH page AS (
         SELECT position, time, confirmed_at FROM ${this.#schema}.outbox WHERE position > $2 ORDER BY position LIMIT $3
       ),
       deleted AS (
         DELETE FROM ${this.#schema}.outbox WHERE position IN (
           SELECT position FROM page WHERE time < $1 AND confirmed_at IS NOT NULL
         )
         RETURNING 1
       )
       SELECT (SELECT count(*) FROM deleted) AS deleted, (SELECT max(position)::text FROM page WHERE time < $1) AS position`,
      [until, after, limit],
    );
    return { deleted: Number(result?.deleted ?? 0), position: result?.position ?? null };
  }
}

/**
 * Exclusive right to relay for one app. At most one process holds the lease, and the lease expires unless renewed.
 * Expiry uses the database's clock, so the clocks of processes may differ.
 */
export class OutboxRelayLease {
  readonly holder = randomUUID();
  readonly #schema: string;
  /** When the lease is renewed next, milliseconds of the monotonic clock. */
  #renewAt = 0;

  /** @param ttlMs - milliseconds after which a lease that is not renewed expires */
  constructor(
    private readonly scope: TransactionScope,
    private readonly ttlMs: number,
  ) {
    this.#schema = quoteSchema(scope.schema);
  }

  /**
   * Acquires or renews the lease. A lease that was renewed less than a third of the TTL ago is held without a query.
   *
   * @returns `denied` if another process holds the lease
   */
  async acquireOrRenew(): Promise<'held' | 'renewed' | 'denied'> {
    const now = performance.now();
    if (now < this.#renewAt) return 'held';
    const rows = await this.scope.executor.query(
      `WITH lease AS (
         INSERT INTO ${this.#schema}.relay AS current (singleton, holder, expires_at)
         VALUES (true, $1::uuid, clock_timestamp() + $2 * interval '1 millisecond')
         ON CONFLICT (singleton) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
         WHERE current.holder = excluded.holder OR current.expires_at < clock_timestamp()
         RETURNING holder
       )
       SELECT holder FROM lease`,
      [this.holder, this.ttlMs],
    );
    this.#renewAt = rows.length > 0 ? now + this.ttlMs / 3 : 0;
    return rows.length > 0 ? 'renewed' : 'denied';
  }

  /** Releases the lease, so that another process can acquire it immediately. */
  async release(): Promise<void> {
    this.#renewAt = 0;
    await this.scope.executor.query(
      `UPDATE ${this.#schema}.relay SET expires_at = '-infinity', holder = NULL WHERE holder = $1::uuid`,
      [this.holder],
    );
  }

  /**
   * Stores the stream's position. Callers must queue the events again in the same transaction if the result is `lost`.
   *
   * @returns `lost` if the stored position belongs to another stream or has a higher sequence; `not held` if this
   * process does not have the lease, so that nothing is stored
   */
  async recordStreamPosition(position: StreamPosition): Promise<'unchanged' | 'lost' | 'not held'> {
    const [row] = await this.scope.executor.query<{ stream_identity: string | null; stream_sequence: string }>(
      `SELECT stream_identity, stream_sequence::text FROM ${this.#schema}.relay WHERE holder = $1::uuid FOR UPDATE`,
      [this.holder],
    );
    if (!row) return 'not held';
    await this.scope.executor.query(
      `UPDATE ${this.#schema}.relay SET stream_identity = $1, stream_sequence = $2::bigint`,
      [position.identity, position.sequence],
    );
    const isUnchanged =
      row.stream_identity === null ||
      (row.stream_identity === position.identity && position.sequence >= Number(row.stream_sequence));
    return isUnchanged ? 'unchanged' : 'lost';
  }

  /** Stores whether the outbox is full. While the outbox is full, every process of the app rejects new events. */
  async setOutboxFull(isFull: boolean): Promise<void> {
    await this.scope.executor.query(
      `UPDATE ${this.#schema}.relay SET outbox_full = $1 WHERE holder = $2::uuid AND outbox_full <> $1`,
      [isFull, this.holder],
    );
  }
}
