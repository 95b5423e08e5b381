import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { quoteSchema } from './event-bus-schema.js';

/** An event that one handler failed on until its attempts were used up. */
export interface DeadLetter {
  /** Decimal text, ascending with time. */
  id: string;
  handler: string;
  event: DomainEvent;
  attempts: number;
  /** Unix milliseconds. */
  diedAt: number;
  lastError: string | null;
}

export interface DeadLetterQuery {
  handler?: string;
  /** Only letters with a greater id: the last one of the page before. */
  after?: string;
  /** At most this many. */
  limit: number;
}

/** What an operator sees and does about events that were given up. */
export class DeadLetterStore {
  readonly #schema: string;

  constructor(private readonly scope: TransactionScope) {
    this.#schema = quoteSchema(scope.schema);
  }

  async list({ handler, after, limit }: DeadLetterQuery): Promise<DeadLetter[]> {
    const rows = await this.scope.executor.query<
      Omit<DeadLetter, 'event' | 'diedAt'> & { event: string; diedAt: string }
    >(
      `select id::text, handler, event::text as event, attempts, last_error as "lastError",
         floor(extract(epoch from died_at) * 1000)::text as "diedAt"
       from ${this.#schema}.dead_letter
       where id > $1::bigint and ($2::text is null or handler = $2)
       order by id limit $3`,
      [after ?? '0', handler ?? null, limit],
    );
    return rows.map((row) => ({ ...row, event: JSON.parse(row.event) as DomainEvent, diedAt: Number(row.diedAt) }));
  }

  /**
   * Hands the event to its handler again, with all attempts before it and after what is parked for its key.
   * Returns false if there is no such letter. The handler sees it later than its time says.
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
