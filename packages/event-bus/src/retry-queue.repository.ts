import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { EventDelivery } from './event-handler.js';
import { quoteSchema } from './event-bus-schema.js';

/** Events of one handler and key that wait in a row. */
export interface BlockedKey {
  handler: string;
  key: string;
}

export interface QueuedRetry extends BlockedKey {
  position: string;
  /** Failed attempts so far; 0 while it only waits behind another. */
  attempts: number;
  event: DomainEvent;
}

interface ParkedRow extends BlockedKey {
  position: string;
  attempts: number;
  event: string;
}

/** Events that failed, and those that wait behind them. */
export class RetryQueueRepository {
  readonly #schema: string;

  constructor(private readonly scope: TransactionScope) {
    this.#schema = quoteSchema(scope.schema);
  }

  /** Which handlers and keys of the deliveries are blocked, as `blockedKeyId` names them. */
  async findBlocked(deliveries: readonly EventDelivery[]): Promise<Set<string>> {
    const rows = await this.scope.executor.query<BlockedKey>(
      `select distinct p.handler, p.key
       from unnest($1::text[], $2::text[]) as delivery (handler, key)
       join ${this.#schema}.parked p on p.handler = delivery.handler and p.key = delivery.key`,
      [deliveries.map(({ handler }) => handler.name), deliveries.map(({ event }) => event.key)],
    );
    return new Set(rows.map(blockedKeyId));
  }

  /** Appends deliveries to the queues of their keys. `pauseMs` counts from now. */
  async enqueue(
    deliveries: readonly EventDelivery[],
    { attempts, pauseMs, error }: { attempts: number; pauseMs: number; error: string | null },
  ): Promise<void> {
    await this.scope.executor.query(
      `insert into ${this.#schema}.parked (handler, event_id, key, event, attempts, next_attempt_at, last_error)
       select handler, event_id, key, event::json, $5, clock_timestamp() + $6 * interval '1 millisecond', $7
       from unnest($1::text[], $2::uuid[], $3::text[], $4::text[])
         with ordinality as delivery (handler, event_id, key, event, ordinal)
       order by ordinal`,
      [
        deliveries.map(({ handler }) => handler.name),
        deliveries.map(({ event }) => event.id),
        deliveries.map(({ event }) => event.key),
        deliveries.map(({ event }) => JSON.stringify(event)),
        attempts,
        pauseMs,
        error,
      ],
    );
  }

  /** Parked events, counted no further than `limit`. */
  async count(limit: number): Promise<number> {
    const [result] = await this.scope.executor.query<{ count: string }>(
      `select count(*) from (select from ${this.#schema}.parked limit $1) parked`,
      [limit],
    );
    return Number(result?.count ?? 0);
  }

  /** Locks the first event of a key that is due and that no other process works on; null if there is none. */
  async lockDue(): Promise<QueuedRetry | null> {
    const rows = await this.scope.executor.query<ParkedRow>(
      `select p.position::text, p.handler, p.key, p.attempts, p.event::text as event
       from ${this.#schema}.parked p
       where p.next_attempt_at <= clock_timestamp() and not exists (
         select from ${this.#schema}.parked earlier
         where earlier.handler = p.handler and earlier.key = p.key and earlier.position < p.position
       )
       order by p.next_attempt_at limit 1
       for update of p skip locked`,
    );
    return toParkedEvent(rows[0]);
  }

  /** The same for one key, without looking through all the others; so a long queue is not searched per event. */
  async lockDueForKey({ handler, key }: BlockedKey): Promise<QueuedRetry | null> {
    const rows = await this.scope.executor.query<ParkedRow>(
      `select position::text, handler, key, attempts, event::text as event
       from ${this.#schema}.parked
       where next_attempt_at <= clock_timestamp() and position = (
         select position from ${this.#schema}.parked where handler = $1 and key = $2 order by position limit 1
       )
       for update skip locked`,
      [handler, key],
    );
    return toParkedEvent(rows[0]);
  }

  async remove(position: string): Promise<void> {
    await this.scope.executor.query(`delete from ${this.#schema}.parked where position = $1::bigint`, [position]);
  }

  /** Notes a failed attempt, unless another process has noted one since `parked` was read. */
  async reschedule(parked: QueuedRetry, pauseMs: number, error: string): Promise<void> {
    await this.scope.executor.query(
      `update ${this.#schema}.parked
       set attempts = attempts + 1, next_attempt_at = clock_timestamp() + $3 * interval '1 millisecond', last_error = $4
       where position = $1::bigint and attempts = $2`,
      [parked.position, parked.attempts, pauseMs, error],
    );
  }

  /** Moves the event to the dead letters, on the same condition. */
  async moveToDeadLetters(parked: QueuedRetry, error: string): Promise<void> {
    await this.scope.executor.query(
      `with gone as (
         delete from ${this.#schema}.parked where position = $1::bigint and attempts = $2 returning *
       )
       insert into ${this.#schema}.dead_letter (handler, event_id, key, event, attempts, parked_at, last_error)
       select handler, event_id, key, event, attempts + 1, parked_at, $3 from gone`,
      [parked.position, parked.attempts, error],
    );
  }
}

export function blockedKeyId({ handler, key }: BlockedKey): string {
  return JSON.stringify([handler, key]);
}

function toParkedEvent(row: ParkedRow | undefined): QueuedRetry | null {
  return row ? { ...row, event: JSON.parse(row.event) as DomainEvent } : null;
}
