import { randomUUID } from 'node:crypto';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { type Clock, systemClock } from './clock.js';
import { MAX_EVENT_PAYLOAD_BYTES } from './envelope.js';
import { BacklogFullError, EventTooLargeError, OutboxOutsideTransactionError } from './errors.js';
import type { NewEventOf } from './event-map.js';
import { partitionOf } from './partition.js';
import { quoteSchema } from './event-bus-schema.js';

export interface OutboxOptions {
  /** Called after the commit of each unit that appended something: the relay's `wake`. */
  onCommitted: () => void;
  clock?: Clock;
}

/**
 * Stores events in the same unit of work as the change they tell about. `Events` maps the names of the app's
 * events to their payloads.
 *
 * Order per key is the order of appending. Two units that append for one key at the same time have no order
 * unless they lock something they share (the family's row, say) before they append.
 */
export class Outbox<Events> {
  readonly #insert: string;
  readonly #clock: Clock;

  constructor(
    private readonly scope: TransactionScope,
    private readonly options: OutboxOptions,
  ) {
    this.#clock = options.clock ?? systemClock;
    this.#insert = insertStatement(quoteSchema(scope.schema));
  }

  /**
   * @throws OutboxOutsideTransactionError while no unit of work is open
   * @throws EventTooLargeError for a payload of more than 32 KiB
   * @throws BacklogFullError when the relay has reported that too many events are unpublished
   */
  append(...events: NewEventOf<Events>[]): Promise<void> {
    return this.appendMany(events);
  }

  /** The same for many events, in one statement however many there are. */
  async appendMany(events: readonly NewEventOf<Events>[]): Promise<void> {
    if (!this.scope.isOpen) throw new OutboxOutsideTransactionError();
    if (events.length === 0) return;
    const time = this.#clock.now();
    const [result] = await this.scope.prepared.query<{ appended: number }>(this.#insert, [
      events.map(() => randomUUID()),
      events.map((event) => partitionOf(event.key)),
      events.map((event) => event.key),
      events.map((event) => event.name),
      time,
      events.map((event) => payloadText(event.name, event.payload)),
    ]);
    if (result?.appended !== events.length) throw new BacklogFullError('Outbox');
    this.scope.afterCommit(this.options.onCommitted);
  }
}

function payloadText(name: string, payload: unknown): string {
  const text = JSON.stringify(payload) ?? 'null';
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_EVENT_PAYLOAD_BYTES) throw new EventTooLargeError(name, bytes, MAX_EVENT_PAYLOAD_BYTES);
  return text;
}

/** Rows get their positions in the order of the arrays; none is inserted while the outbox is full. */
function insertStatement(schema: string): string {
  return `
    with appended as (
      insert into ${schema}.outbox (id, partition, key, name, time, payload)
      select id, partition, key, name, $5::bigint, payload::json
      from unnest($1::uuid[], $2::smallint[], $3::text[], $4::text[], $6::text[])
        with ordinality as event (id, partition, key, name, payload, ordinal)
      where not exists (select from ${schema}.relay where outbox_full)
      order by ordinal
      returning 1
    )
    select count(*)::int as appended from appended`;
}
