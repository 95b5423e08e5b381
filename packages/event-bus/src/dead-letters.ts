import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { quoteSchema } from './event-bus-schema.js';

/** Value of `DeadLetter.handler` for bytes that are no event, which no handler receives. */
export const UNKNOWN_HANDLER = '-';

/** An event that one handler failed to process in all its attempts, or bytes from the bus that are no event. */
export interface DeadLetter {
  /** Id as decimal text; later dead letters have greater ids. */
  id: string;
  handler: string;
  /** Null for bytes that are no event. */
  event: DomainEvent | null;
  /** The received bytes if they are no event; null if the dead letter is an event. */
  raw: Uint8Array | null;
  attempts: number;
  /** Unix milliseconds. */
  deadLetteredAt: number;
  lastError: string | null;
}

export interface DeadLetterQuery {
  handler?: string;
  /** Returns only dead letters with a greater id; pass the last id of the previous page. */
  after?: string;
  /** Maximum number of dead letters returned. */
  limit: number;
}

/** Stores bytes that are no events; lists, replays and drops dead letters for operators. */
export class DeadLetterStore {
  readonly #schema: string;

  constructor(private readonly scope: TransactionScope) {
    this.#schema = quoteSchema(scope.schema);
  }

  /** Stores bytes that are no event, or whose event cannot be queued for `handler`. */
  async storeMalformed(handler: string, raw: Uint8Array, reason: string): Promise<void> {
    await this.scope.executor.query(
      `INSERT INTO ${this.#schema}.dead_letter (handler, key, attempts, parked_at, last_error, raw)
       VALUES ($1, '', 1, now(), $2, $3)`,
      [handler, reason, raw],
    );
  }

  async list({ handler, after, limit }: DeadLetterQuery): Promise<DeadLetter[]> {
    const rows = await this.scope.executor.query<
      Omit<DeadLetter, 'event' | 'deadLetteredAt'> & { event: string | null; deadLetteredAt: string }
    >(
      `SELECT id::text, handler, event::text AS event, raw, attempts, last_error AS "lastError",
         floor(extract(epoch FROM died_at) * 1000)::text AS "deadLetteredAt"
       FROM ${this.#schema}.dead_letter
       WHERE id > $1::bigint AND ($2::text IS NULL OR handler = $2)
       ORDER BY id LIMIT $3`,
      [after ?? '0', handler ?? null, limit],
    );
    return rows.map((row) => ({
      ...row,
      event: row.event === null ? null : (JSON.parse(row.event) as DomainEvent),
      deadLetteredAt: Number(row.deadLetteredAt),
    }));
  }

  /**
   * Moves the event back to the handler's retry queue, with its attempts reset and after the queued events of its key.
   * The handler processes a replayed event out of order.
   *
   * @returns false if there is no dead letter with this id, or if it is no event
   */
  async replay(id: string): Promise<boolean> {
    const rows = await this.scope.executor.query(
      `WITH letter AS (DELETE FROM ${this.#schema}.dead_letter WHERE id = $1::bigint AND event IS NOT NULL RETURNING *),
       parked AS (
         INSERT INTO ${this.#schema}.parked (handler, event_id, key, event, attempts, next_attempt_at)
         SELECT handler, event_id, key, event, 0, clock_timestamp() FROM letter
         RETURNING position
       )
       SELECT position FROM parked`,
      [id],
    );
    return rows.length > 0;
  }

  /** Deletes a dead letter. Returns false if there is no dead letter with this id. */
  async drop(id: string): Promise<boolean> {
    const rows = await this.scope.executor.query(
      `DELETE FROM ${this.#schema}.dead_letter WHERE id = $1::bigint RETURNING id`,
      [id],
    );
    return rows.length > 0;
  }

  /** Returns the number of dead letters, at most `limit`. */
  async count(limit: number): Promise<number> {
    const [result] = await this.scope.executor.query<{ count: string }>(
      `SELECT count(*) FROM (SELECT FROM ${this.#schema}.dead_letter LIMIT $1) dead_letter`,
      [limit],
    );
    return Number(result?.count ?? 0);
  }
}
