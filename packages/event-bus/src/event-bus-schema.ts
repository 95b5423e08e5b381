/**
 * Statements that make the tables of outbox, relay and inbox in an app's schema, in order. Apps put them in
 * their first migration: the role they run with has no right to change the schema.
 */
export function eventBusSchemaSql(schema: string): string[] {
  const s = quoteSchema(schema);
  return [...outboxTables(s), ...inboxTables(s)];
}

/** The schema's name as SQL text. Throws on anything but lower-case letters, digits and underscores. */
export function quoteSchema(schema: string): string {
  if (!/^[a-z_][a-z0-9_]*$/.test(schema)) throw new Error(`Not a schema name: ${schema}`);
  return `"${schema}"`;
}

function outboxTables(s: string): string[] {
  return [
    // `json`, not `jsonb`: the payload is carried, never searched, and its text must not change.
    `create table ${s}.outbox (
      position bigint generated always as identity primary key,
      id uuid not null,
      partition smallint not null,
      key text not null,
      name text not null,
      time bigint not null,
      payload json not null,
      confirmed_at timestamptz
    )`,
    // The relay asks each partition for its oldest unconfirmed rows; confirmed ones leave the index.
    `create index outbox_unconfirmed on ${s}.outbox (partition, position) where confirmed_at is null`,
    // One row: who relays, and what the stream looked like when it last confirmed something.
    `create table ${s}.relay (
      singleton boolean primary key default true check (singleton),
      holder uuid,
      expires_at timestamptz not null default '-infinity',
      stream_identity text,
      stream_sequence bigint not null default 0,
      outbox_full boolean not null default false
    ) with (fillfactor = 10)`,
    `insert into ${s}.relay default values`,
  ];
}

function inboxTables(s: string): string[] {
  return [
    // A row says that the handler has taken the event for good: it was handled, or is parked, or is a dead letter.
    `create table ${s}.inbox (
      handler text not null,
      event_id uuid not null,
      taken_at timestamptz not null default now(),
      primary key (handler, event_id)
    )`,
    `create index inbox_taken on ${s}.inbox (taken_at)`,
    // Events that failed, and those of the same key that wait behind them (attempts = 0).
    `create table ${s}.parked (
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
    `create index parked_key on ${s}.parked (handler, key, position)`,
    `create index parked_due on ${s}.parked (next_attempt_at)`,
    `create table ${s}.dead_letter (
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
