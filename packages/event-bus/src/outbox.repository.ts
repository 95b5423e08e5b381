import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { quoteSchema } from './event-bus-schema.js';

/** An unconfirmed row of the outbox as the relay publishes it. */
export interface OutboxRow {
  position: string;
  partition: number;
  payloadBytes: number;
  event: DomainEvent;
}

interface StoredRow {
  position: string;
  partition: number;
  id: string;
  key: string;
  name: string;
  time: string;
  payload: string;
}

/** The outbox from the relay's side. */
export class OutboxRepository {
  readonly #schema: string;

  constructor(private readonly scope: TransactionScope) {
    this.#schema = quoteSchema(scope.schema);
  }

  /**
   * The oldest unconfirmed rows of each partition, at most `limit` of each, in order. Asked per partition, because
   * one that cannot be published must not hide the others behind its rows.
   */
  async findUnpublished(partitions: readonly number[], limit: number): Promise<OutboxRow[]> {
    const rows = await this.scope.executor.query<StoredRow>(
      `select o.position::text, o.partition, o.id, o.key, o.name, o.time::text, o.payload::text
       from unnest($1::smallint[]) as wanted (partition)
       cross join lateral (
         select * from ${this.#schema}.outbox
         where partition = wanted.partition and confirmed_at is null
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
   * Marks rows as published and notes the stream's sequence, if `holder` still has the lease. Whoever took it over
   * may have seen a new stream that these rows are not in.
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

  /** Lets rows appended at or after `since` (Unix milliseconds) be published again. Returns how many. */
  async requeueSince(since: number): Promise<number> {
    const [result] = await this.scope.executor.query<{ count: string }>(
      `with again as (
         update ${this.#schema}.outbox set confirmed_at = null
         where confirmed_at is not null and time >= $1 returning 1
       )
       select count(*) from again`,
      [since],
    );
    return Number(result?.count ?? 0);
  }

  /** Unconfirmed rows, counted no further than `limit`. */
  async countUnpublished(limit: number): Promise<number> {
    const [result] = await this.scope.executor.query<{ count: string }>(
      `select count(*) from (select from ${this.#schema}.outbox where confirmed_at is null limit $1) unconfirmed`,
      [limit],
    );
    return Number(result?.count ?? 0);
  }

  /**
   * Deletes confirmed rows appended before `until` (Unix milliseconds) among the `limit` oldest rows. Returns how
   * many; fewer than `limit` means that there are no more.
   */
  async deletePublished(until: number, limit: number): Promise<number> {
    const [result] = await this.scope.executor.query<{ count: string }>(
      `with gone as (
         delete from ${this.#schema}.outbox where position in (
           select position from (
             select position, time, confirmed_at from ${this.#schema}.outbox order by position limit $2
           ) oldest
           where time < $1 and confirmed_at is not null
         )
         returning 1
       )
       select count(*) from gone`,
      [until, limit],
    );
    return Number(result?.count ?? 0);
  }
}
