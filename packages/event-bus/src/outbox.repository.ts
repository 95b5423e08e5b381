import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { quoteSchema } from './event-bus-schema.js';

/** An unpublished outbox row. */
export interface OutboxRow {
  position: string;
  partition: number;
  payloadBytes: number;
  event: DomainEvent;
}

interface OutboxDatabaseRow {
  position: string;
  partition: number;
  id: string;
  key: string;
  name: string;
  time: string;
  payload: string;
}

/** Outbox queries of the relay. */
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
      `select o.position::text, o.partition, o.id, o.key, o.name, o.time::text, o.payload::text
       from unnest($1::smallint[]) as requested (partition)
       cross join lateral (
         select * from ${this.#schema}.outbox
         where partition = requested.partition and confirmed_at is null
         order by position limit $2
       ) o
       order by o.partition, o.position`,
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
   * Marks rows as published and stores the stream's sequence, if `holder` still has the lease. Without the check, rows
   * would be marked although a later lease holder has detected a new stream that does not contain them.
   */
  async markPublished(holder: string, positions: readonly string[], sequence: number): Promise<void> {
    await this.scope.executor.query(
      `with lease as (
         update ${this.#schema}.relay set stream_sequence = greatest(stream_sequence, $2::bigint)
         where holder = $1::uuid returning 1
       )
       update ${this.#schema}.outbox set confirmed_at = now()
       where position = any($3::bigint[]) and exists (select from lease)`,
      [holder, sequence, positions],
    );
  }

  /** Marks rows appended at or after `since` (Unix milliseconds) as unpublished. Returns the number of rows. */
  async requeueSince(since: number): Promise<number> {
    const [result] = await this.scope.executor.query<{ count: string }>(
      `with requeued as (
         update ${this.#schema}.outbox set confirmed_at = null
         where confirmed_at is not null and time >= $1 returning 1
       )
       select count(*) from requeued`,
      [since],
    );
    return Number(result?.count ?? 0);
  }

  /** Returns the number of unpublished rows, at most `limit`. */
  async countUnpublished(limit: number): Promise<number> {
    const [result] = await this.scope.executor.query<{ count: string }>(
      `select count(*) from (select from ${this.#schema}.outbox where confirmed_at is null limit $1) unpublished`,
      [limit],
    );
    return Number(result?.count ?? 0);
  }

  /**
   * Deletes published rows appended before `until` (Unix milliseconds) among the `limit` oldest rows. Returns the
   * number of deleted rows; fewer than `limit` means that no more are due.
   */
  async deletePublished(until: number, limit: number): Promise<number> {
    const [result] = await this.scope.executor.query<{ count: string }>(
      `with deleted as (
         delete from ${this.#schema}.outbox where position in (
           select position from (
             select position, time, confirmed_at from ${this.#schema}.outbox order by position limit $2
           ) oldest
           where time < $1 and confirmed_at is not null
         )
         returning 1
       )
       select count(*) from deleted`,
      [until, limit],
    );
    return Number(result?.count ?? 0);
  }
}
