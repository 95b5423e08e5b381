/**
 * Returns the statements that create the event bus tables in an app's schema, in order. Apps run the statements in
 * their first migration, because the runtime role may not change the schema.
 */
export function eventBusSchemaSql(schema: string): string[] {
  const quotedSchema = quoteSchema(schema);
  return [...outboxTableStatements(quotedSchema), ...inboxTableStatements(quotedSchema)];
}

/**
 * Returns the statements after which dead letters can contain messages that are no events, and have an index on their
 * key. Apps run these statements in a later migration than the statements of {@link eventBusSchemaSql}.
 */
export function deadLetterRecoverySql(schema: string): string[] {
  const quotedSchema = quoteSchema(schema);
  return [
    // `raw` contains the bytes of a message that could not be read as an event; event_id and event are then null.
    `alter table ${quotedSchema}.dead_letter
       alter column event_id drop not null, alter column event drop not null, add column raw bytea`,
    `create index dead_letter_key on ${quotedSchema}.dead_letter (handler, key)`,
  ];
}

/** Returns the statements that undo {@link deadLetterRecoverySql}. */
export function dropDeadLetterRecoverySql(schema: string): string[] {
  const quotedSchema = quoteSchema(schema);
  return [
    `drop index ${quotedSchema}.dead_letter_key`,
    `delete from ${quotedSchema}.dead_letter where event is null`,
    `alter table ${quotedSchema}.dead_letter
       alter column event_id set not null, alter column event set not null, drop column raw`,
  ];
}

/** How long the stream of the event bus retains events that a consumer has not processed, with a reserve. */
const STREAM_RETENTION_MS = 25 * 60 * 60 * 1000;

/**
 * Returns the statements that prepare the event bus tables of a restored schema for an empty stream. Publishes again
 * what the lost stream may have contained unprocessed; the inboxes of the same backup discard what was processed. The
 * in-process bus confirms events only after all apps have processed them, so nothing of it is published again.
 *
 * @param snapshotAt - time of the backup, Unix milliseconds
 */
export function restoredEventBusSql(schema: string, snapshotAt: number): string[] {
  const quotedSchema = quoteSchema(schema);
  return [
    `update ${quotedSchema}.outbox set confirmed_at = null
      where confirmed_at is not null and time >= ${Math.trunc(snapshotAt - STREAM_RETENTION_MS)}
        and exists (select from ${quotedSchema}.relay where stream_identity <> 'in-process')`,
    `update ${quotedSchema}.relay set holder = null, expires_at = '-infinity', stream_identity = null,
       stream_sequence = 0, outbox_full = false`,
  ];
}

/**
 * Returns the schema name as a quoted SQL identifier.
 *
 * @throws Error if the name has other characters than lower-case letters, digits and underscores
 */
export function quoteSchema(schema: string): string {
  if (!/^[a-z_][a-z0-9_]*$/.test(schema)) throw new Error(`Invalid schema name: ${schema}`);
  return `"${schema}"`;
}

function outboxTableStatements(quotedSchema: string): string[] {
  return [
    // The payload is `json`, not `jsonb`, because its text must be preserved and is never searched.
    `create table ${quotedSchema}.outbox (
      position bigint generated always as identity primary key,
      id uuid not null,
      partition smallint not null,
      key text not null,
      name text not null,
      time bigint not null,
      payload json not null,
      confirmed_at timestamptz
    )`,
    // Index for the relay's query of the oldest unpublished rows per partition; contains no published rows.
    `create index outbox_unconfirmed on ${quotedSchema}.outbox (partition, position) where confirmed_at is null`,
    // The table `relay` has one row: the relay lease, and the stream's identity and sequence after the last publish.
    `create table ${quotedSchema}.relay (
      singleton boolean primary key default true check (singleton),
      holder uuid,
      expires_at timestamptz not null default '-infinity',
      stream_identity text,
      stream_sequence bigint not null default 0,
      outbox_full boolean not null default false
    ) with (fillfactor = 10)`,
    `insert into ${quotedSchema}.relay default values`,
  ];
}

function inboxTableStatements(quotedSchema: string): string[] {
  return [
    // An inbox row means that the handler accepted the event: it was handled, is queued for retry, or is a dead letter.
    `create table ${quotedSchema}.inbox (
      handler text not null,
      event_id uuid not null,
      taken_at timestamptz not null default now(),
      primary key (handler, event_id)
    )`,
    `create index inbox_taken on ${quotedSchema}.inbox (taken_at)`,
    // The retry queue: failed events, and later events of the same key that wait for the failed event (attempts = 0).
    `create table ${quotedSchema}.parked (
      position bigint generated always as identity primary key,
      handler text not null,
      event_id uuid not null,
      key text not null,
      event json not null,
      attempts integer not null,
      next_attempt_at timestamptz not null,
      parked_at timestamptz not null default now(),
      last_error text
    )`,
    `create index parked_key on ${quotedSchema}.parked (handler, key, position)`,
    `create index parked_due on ${quotedSchema}.parked (next_attempt_at)`,
    `create table ${quotedSchema}.dead_letter (
      id bigint generated always as identity primary key,
      handler text not null,
      event_id uuid not null,
      key text not null,
      event json not null,
      attempts integer not null,
      parked_at timestamptz not null,
      died_at timestamptz not null default now(),
      last_error text
    )`,
  ];
}
