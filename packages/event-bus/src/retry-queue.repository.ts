import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import {
  prepared,
  type PreparedStatement,
  type TransactionScope,
} from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { EventDelivery } from './event-map.js';
import { quoteSchema } from './event-bus-schema.js';

/** A key whose events are blocked for a handler by a failed event. */
export interface BlockedKey {
  handler: string;
  key: string;
}

export interface QueuedRetry extends BlockedKey {
  position: string;
  /** Failed attempts so far; 0 for an event that only waits for an earlier event of its key. */
  attempts: number;
  event: DomainEvent;
}

interface QueuedRetryRow extends BlockedKey {
  position: string;
  attempts: number;
  event: string;
}

/** The retry queue (table `parked`): failed events, and later events of the same key that wait for the failed event. */
export class RetryQueueRepository {
  readonly #schema: string;
  /**
   * Prepared, because every transaction that handles events executes it. The lateral join reads the index even when the
   * statement was planned for an empty queue.
   */
  readonly #findBlockedStatement: PreparedStatement;

  constructor(private readonly scope: TransactionScope) {
    this.#schema = quoteSchema(scope.schema);
    this.#findBlockedStatement = prepared(
      `SELECT DISTINCT delivery.handler, delivery.key
       FROM unnest($1::text[], $2::text[]) AS delivery (handler, key)
       CROSS JOIN LATERAL (
         SELECT FROM ${this.#schema}.parked p WHERE p.handler = delivery.handler AND p.key = delivery.key LIMIT 1
       ) AS queued`,
    );
  }

  /** Returns the blocked handlers and keys of the deliveries, as ids of `blockedKeyId`. */
  async findBlockedKeys(deliveries: readonly EventDelivery[]): Promise<Set<string>> {
    const rows = await this.scope.executor.query<BlockedKey>(this.#findBlockedStatement, [
      deliveries.map(({ handler }) => handler.name),
      deliveries.map(({ event }) => event.key),
    ]);
    return new Set(rows.map(blockedKeyId));
  }

  /** Appends deliveries to the queues of their keys; the next attempt of each is due in `delayMs` milliseconds. */
  async enqueue(
    deliveries: readonly EventDelivery[],
    { attempts, delayMs, error }: { attempts: number; delayMs: number; error: string | null },
  ): Promise<void> {
    await this.scope.executor.query(
      `INSERT INTO ${this.#schema}.parked (handler, event_id, key, event, attempts, next_attempt_at, last_error)
       SELECT handler, event_id, key, event::json, $5, clock_timestamp() + $6 * interval '1 millisecond', $7
       FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[])
         WITH ORDINALITY AS delivery (handler, event_id, key, event, ordinal)
       ORDER BY ordinal`,
      [
        deliveries.map(({ handler }) => handler.name),
        deliveries.map(({ event }) => event.id),
        deliveries.map(({ event }) => event.key),
        deliveries.map(({ event }) => JSON.stringify(event)),
        attempts,
        delayMs,
        error,
      ],
    );
  }

  /** Returns the number of queued events, at most `limit`. */
  async count(limit: number): Promise<number> {
    const [result] = await this.scope.executor.query<{ count: string }>(
      `SELECT count(*) FROM (SELECT FROM ${this.#schema}.parked LIMIT $1) parked`,
      [limit],
    );
    return Number(result?.count ?? 0);
  }

  /** Returns whether the next attempt of an event is due, without a lock or a transaction. */
  async hasDue(): Promise<boolean> {
    const [result] = await this.scope.executor.query<{ isDue: boolean | null }>(
      `SELECT (SELECT min(next_attempt_at) FROM ${this.#schema}.parked) <= clock_timestamp() AS "isDue"`,
    );
    return result?.isDue ?? false;
  }

  /**
   * Locks and returns the first due event of any key; skips events that other processes have locked. Returns null if no
   * event is due.
   */
  async lockDue(): Promise<QueuedRetry | null> {
    // The time is a subquery, because a condition with the volatile function itself cannot use an index.
    const rows = await this.scope.executor.query<QueuedRetryRow>(
      `SELECT p.position::text, p.handler, p.key, p.attempts, p.event::text AS event
       FROM ${this.#schema}.parked p
       WHERE p.next_attempt_at <= (SELECT clock_timestamp()) AND NOT EXISTS (
         SELECT FROM ${this.#schema}.parked earlier
         WHERE earlier.handler = p.handler AND earlier.key = p.key AND earlier.position < p.position
       )
       ORDER BY p.next_attempt_at LIMIT 1
       FOR UPDATE OF p SKIP LOCKED`,
    );
    return toQueuedRetry(rows[0]);
  }

  /** Locks and returns the first due event of one key, without searching the whole queue; null if no event is due. */
  async lockDueForKey({ handler, key }: BlockedKey): Promise<QueuedRetry | null> {
    const rows = await this.scope.executor.query<QueuedRetryRow>(
      `SELECT position::text, handler, key, attempts, event::text AS event
       FROM ${this.#schema}.parked
       WHERE next_attempt_at <= (SELECT clock_timestamp()) AND position = (
         SELECT position FROM ${this.#schema}.parked WHERE handler = $1 AND key = $2 ORDER BY position LIMIT 1
       )
       FOR UPDATE SKIP LOCKED`,
      [handler, key],
    );
    return toQueuedRetry(rows[0]);
  }

  async remove(position: string): Promise<void> {
    await this.scope.executor.query(`DELETE FROM ${this.#schema}.parked WHERE position = $1::bigint`, [position]);
  }

  /** Records a failed attempt, unless another process has recorded an attempt since `retry` was read. */
  async reschedule(retry: QueuedRetry, delayMs: number, error: string): Promise<void> {
    await this.scope.executor.query(
      `UPDATE ${this.#schema}.parked
       SET attempts = attempts + 1, next_attempt_at = clock_timestamp() + $3 * interval '1 millisecond', last_error = $4
       WHERE position = $1::bigint AND attempts = $2`,
      [retry.position, retry.attempts, delayMs, error],
    );
  }

  /** Moves the event to the dead letters, unless another process has recorded an attempt since `retry` was read. */
  async moveToDeadLetters(retry: QueuedRetry, error: string): Promise<void> {
    await this.scope.executor.query(
      `WITH removed AS (
         DELETE FROM ${this.#schema}.parked WHERE position = $1::bigint AND attempts = $2 RETURNING *
       )
       INSERT INTO ${this.#schema}.dead_letter (handler, event_id, key, event, attempts, parked_at, last_error)
       SELECT handler, event_id, key, event, attempts + 1, parked_at, $3 FROM removed`,
      [retry.position, retry.attempts, error],
    );
  }
}

/** Returns a text that identifies the handler and the key, for use in a set. */
export function blockedKeyId({ handler, key }: BlockedKey): string {
  return JSON.stringify([handler, key]);
}

function toQueuedRetry(row: QueuedRetryRow | undefined): QueuedRetry | null {
  return row ? { ...row, event: JSON.parse(row.event) as DomainEvent } : null;
}
