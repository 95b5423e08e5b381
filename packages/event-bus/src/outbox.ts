// Step 2 of docs/from-change-to-socket.md: events are rows of the transaction.
import { randomUUID } from 'node:crypto';
import type { UnpublishedSnapshot } from '@family-watch/domain/kernel/contracts/snapshot-source';
import {
  prepared,
  type PreparedStatement,
  type TransactionScope,
} from '@family-watch/domain/kernel/contracts/transaction-scope';
import { type Clock, systemClock } from './clock.js';
import { MAX_EVENT_PAYLOAD_BYTES } from './envelope.js';
import { BacklogFullError, EventTooLargeError, OutboxOutsideTransactionError } from './errors.js';
import type { NewEventOf } from './event-map.js';
import { partitionOf } from './partition.js';
import { OutboxRepository } from './outbox.repository.js';
import { quoteSchema } from './event-bus-schema.js';
import type { EventTracing, TracedEvents } from './traceparent.js';

/** Milliseconds within which an available bus accepts an event after its commit. */
const USUAL_PUBLICATION_MS = 300;

export interface OutboxOptions {
  /** Called after each commit that appended events, with these events if they are traced; wakes the relay. */
  onCommitted: (traced?: TracedEvents) => void;
  /** Called before the commit of traced events, so that the relay of this process knows their trace. */
  onTraced?: (traced: TracedEvents) => void;
  tracing?: EventTracing | undefined;
  clock?: Clock;
}

/**
 * Stores events in the transaction of the change that the events describe. `Events` maps the app's event names to
 * their payloads.
 *
 * Events of a key are published in the order in which they were appended. The order of concurrent transactions that
 * append for the same key is undefined unless they first lock a common row, such as the family's.
 */
export class Outbox<Events> {
  readonly #insertStatement: PreparedStatement;
  readonly #clock: Clock;

  constructor(
    private readonly scope: TransactionScope,
    private readonly options: OutboxOptions,
  ) {
    this.#clock = options.clock ?? systemClock;
    this.#insertStatement = insertStatement(quoteSchema(scope.schema));
  }

  /**
   * Appends events to the outbox.
   *
   * @throws OutboxOutsideTransactionError outside a transaction
   * @throws EventTooLargeError if a payload exceeds 32 KiB
   * @throws BacklogFullError while the outbox is full
   */
  append(...events: NewEventOf<Events>[]): Promise<void> {
    return this.appendMany(events);
  }

  /**
   * Returns the objects whose snapshot events have waited for publication for longer than usual, for example because
   * the bus is unavailable.
   */
  listUnpublishedSnapshots(): Promise<UnpublishedSnapshot[]> {
    return new OutboxRepository(this.scope).findUnpublishedSnapshots(this.#clock.now() - USUAL_PUBLICATION_MS);
  }

  /** Appends any number of events in one statement; otherwise like {@link append}. */
  async appendMany(events: readonly NewEventOf<Events>[]): Promise<void> {
    if (!this.scope.isInTransaction) throw new OutboxOutsideTransactionError();
    if (events.length === 0) return;
    const time = this.#clock.now();
    const ids = events.map(() => randomUUID());
    const [result] = await this.scope.executor.query<{ appended: number }>(this.#insertStatement, [
      ids,
      events.map((event) => partitionOf(event.key)),
      events.map((event) => event.key),
      events.map((event) => event.name),
      time,
      events.map((event) => payloadText(event.name, event.payload)),
    ]);
    if (result?.appended !== events.length) throw new BacklogFullError('Outbox');
    const { tracing, onTraced, onCommitted } = this.options;
    const traceparent = tracing?.currentTraceparent();
    const traced = traceparent === undefined ? undefined : { traceparent, ids };
    if (traced) onTraced?.(traced);
    this.scope.afterCommit(() => onCommitted(traced));
  }
}

function payloadText(name: string, payload: unknown): string {
  const text = JSON.stringify(payload) ?? 'null';
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_EVENT_PAYLOAD_BYTES) throw new EventTooLargeError(name, bytes, MAX_EVENT_PAYLOAD_BYTES);
  return text;
}

/**
 * Returns a statement whose rows get positions in the order of the array parameters. The statement inserts no row while
 * the outbox is full.
 */
function insertStatement(schema: string): PreparedStatement {
  return prepared(`
    WITH appended AS (
      INSERT INTO ${schema}.outbox (id, partition, key, name, time, payload)
      SELECT id, partition, key, name, $5::bigint, payload::json
      FROM unnest($1::uuid[], $2::smallint[], $3::text[], $4::text[], $6::text[])
        WITH ORDINALITY AS event (id, partition, key, name, payload, ordinal)
      WHERE NOT EXISTS (SELECT FROM ${schema}.relay WHERE outbox_full)
      ORDER BY ordinal
      RETURNING 1
    )
    SELECT count(*)::int AS appended FROM appended`);
}
