import {
  prepared,
  type PreparedStatement,
  type TransactionScope,
} from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { EventDelivery } from './event-map.js';
import { quoteSchema } from './event-bus-schema.js';

/** Stores which events each handler has accepted: processed, queued for retry, or stored as dead letters. */
export class InboxRepository {
  readonly #schema: string;
  /** Prepared, because every transaction that handles events executes it. */
  readonly #claimStatement: PreparedStatement;

  constructor(private readonly scope: TransactionScope) {
    this.#schema = quoteSchema(scope.schema);
    this.#claimStatement = prepared(
      `INSERT INTO ${this.#schema}.inbox (handler, event_id)
       SELECT handler, event_id FROM unnest($1::text[], $2::uuid[]) AS delivery (handler, event_id)
       ON CONFLICT DO NOTHING
       RETURNING handler, event_id`,
    );
  }

  /** Inserts inbox rows for the deliveries and returns the deliveries that were not accepted before, in their order. */
  async claimNewDeliveries(deliveries: readonly EventDelivery[]): Promise<EventDelivery[]> {
    const rows = await this.scope.executor.query<{ handler: string; event_id: string }>(this.#claimStatement, [
      deliveries.map(({ handler }) => handler.name),
      deliveries.map(({ event }) => event.id),
    ]);
    const taken = new Set(rows.map((row) => `${row.event_id} ${row.handler}`));
    // An event that occurs twice in the list was inserted once and is returned once.
    return deliveries.filter(({ handler, event }) => taken.delete(`${event.id} ${handler.name}`));
  }

  /** Deletes at most `limit` rows older than `ageMs` milliseconds. Returns the number of deleted rows. */
  async deleteOlderThan(ageMs: number, limit: number): Promise<number> {
    const [result] = await this.scope.executor.query<{ count: string }>(
      `WITH deleted AS (
         DELETE FROM ${this.#schema}.inbox WHERE (handler, event_id) IN (
           SELECT handler, event_id FROM ${this.#schema}.inbox
           WHERE taken_at < now() - $1 * interval '1 millisecond' ORDER BY taken_at LIMIT $2
         )
         RETURNING 1
       )
       SELECT count(*) FROM deleted`,
      [ageMs, limit],
    );
    return Number(result?.count ?? 0);
  }
}
