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
      `insert into ${this.#schema}.dead_letter (handler, key, attempts, parked_at, last_error, raw)
       values ($1, '', 1, now(), $2, $3)`,
      [handler, reason, raw],
    );
  }

  async list({ handler, after, limit }: DeadLetterQuery): Promise<DeadLetter[]> {
    const rows = await this.scope.executor.query<
      Omit<DeadLetter, 'event' | 'deadLetteredAt'> & { event: string | null; deadLetteredAt: string }
    >(
      `select id::text, handler, event::text as event, raw, attempts, last_error as "lastError",
         floor(extract(epoch from died_at) * 1000)::text as "deadLetteredAt"
       from ${this.#schema}.dead_letter
       where id > $1::bigint and ($2::text is null or handler = $2)
       order by id limit $3`,
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
      `with letter as (delete from ${this.#schema}.dead_letter where id = $1::bigint and event is not null returning *),
       parked as (
         insert into ${this.#schema}.parked (handler, event_id, key, event, attempts, next_attempt_at)
         select handler, event_id, key, event, 0, clock_timestamp() from letter
         returning position
       )
       select position from parked`,
      [id],
    );
    return rows.length > 0;
  }

  /** Deletes a dead letter. Returns false if there is no dead letter with this id. */
  async drop(id: string): Promise<boolean> {
    const rows = await this.scope.executor.query(
      `delete from ${this.#schema}.dead_letter where id = $1::bigint returning id`,
      [id],
    );
    return rows.length > 0;
  }

  /** Returns the number of dead letters, at most `limit`. */
  async count(limit: number): Promise<number> {
    const [result] = await this.scope.executor.query<{ count: string }>(
      `select count(*) from (select from ${this.#schema}.dead_letter limit $1) dead_letter`,
      [limit],
    );
    return Number(result?.count ?? 0);
  }
}
