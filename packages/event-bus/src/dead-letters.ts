import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { quoteSchema } from './event-bus-schema.js';

/** An event that one handler failed to process in all its attempts. */
export interface DeadLetter {
  /** Id as decimal text; later dead letters have greater ids. */
  id: string;
  handler: string;
  event: DomainEvent;
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

/** Lists and replays dead letters for operators. */
export class DeadLetterStore {
  readonly #schema: string;

  constructor(private readonly scope: TransactionScope) {
    this.#schema = quoteSchema(scope.schema);
  }

  async list({ handler, after, limit }: DeadLetterQuery): Promise<DeadLetter[]> {
    const rows = await this.scope.executor.query<
      Omit<DeadLetter, 'event' | 'deadLetteredAt'> & { event: string; deadLetteredAt: string }
    >(
      `select id::text, handler, event::text as event, attempts, last_error as "lastError",
         floor(extract(epoch from died_at) * 1000)::text as "deadLetteredAt"
       from ${this.#schema}.dead_letter
       where id > $1::bigint and ($2::text is null or handler = $2)
       order by id limit $3`,
      [after ?? '0', handler ?? null, limit],
    );
    return rows.map((row) => ({
      ...row,
      event: JSON.parse(row.event) as DomainEvent,
      deadLetteredAt: Number(row.deadLetteredAt),
    }));
  }

  /**
   * Moves the event back to the handler's retry queue, with its attempts reset and after the queued events of its key.
   * The handler processes a replayed event out of order.
   *
   * @returns false if there is no dead letter with this id
   */
  async replay(id: string): Promise<boolean> {
    const rows = await this.scope.executor.query(
      `with letter as (delete from ${this.#schema}.dead_letter where id = $1::bigint returning *),
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
}
