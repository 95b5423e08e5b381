/**
 * Returns the statements that create the event bus tables in an app's schema, in order. Apps run the statements in
 * their first migration, because the runtime role may not change the schema.
 */
export function eventBusSchemaSql(schema: string): string[] {
  const quotedSchema = quoteSchema(schema);
  return [...outboxTableStatements(quotedSchema), ...inboxTableStatements(quotedSchema)];
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
    `UPDATE ${quotedSchema}.outbox SET confirmed_at = NULL
      WHERE confirmed_at IS NOT NULL AND time >= ${Math.trunc(snapshotAt - STREAM_RETENTION_MS)}
        AND EXISTS (SELECT FROM ${quotedSchema}.relay WHERE stream_identity <> 'in-process')`,
    `UPDATE ${quotedSchema}.relay SET holder = NULL, expires_at = '-infinity', stream_identity = NULL,
       stream_sequence = 0, outbox_full = false`,
  ];
}

/**
 * Returns the statements that give the rows of handlers the handlers' new names, so that processed events stay processed
 * and failed events are retried. No row may have a new name already.
 *
 * @param names - the new names by the previous names
 */
export function renamedHandlersSql(schema: string, names: Readonly<Record<string, string>>): string[] {
  const rows = Object.entries(names).map(([previous, name]) => `('${previous}', '${name}')`);
  if (rows.length === 0) return [];
  return ['inbox', 'parked', 'dead_letter'].map(
    (table) => `update ${quoteSchema(schema)}.${table} set handler = renamed.name
      from (values ${rows.join(', ')}) as renamed (previous, name) where handler = renamed.previous`,
  );
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
    `CREATE TABLE ${quotedSchema}.outbox (
      position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id uuid NOT NULL,
      partition smallint NOT NULL,
      key text NOT NULL,
      name text NOT NULL,
      time bigint NOT NULL,
      payload json NOT NULL,
      confirmed_at timestamptz
    )`,
    // Index for the relay's query of the oldest unpublished rows per partition; contains no published rows.
    `CREATE INDEX outbox_unconfirmed ON ${quotedSchema}.outbox (partition, position) WHERE confirmed_at IS NULL`,
    // The table `relay` has one row: the relay lease, and the stream's identity and sequence after the last publish.
    `CREATE TABLE ${quotedSchema}.relay (
      singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
      holder uuid,
      expires_at timestamptz NOT NULL DEFAULT '-infinity',
      stream_identity text,
      stream_sequence bigint NOT NULL DEFAULT 0,
      outbox_full boolean NOT NULL DEFAULT false
    ) WITH (fillfactor = 10)`,
    `INSERT INTO ${quotedSchema}.relay DEFAULT VALUES`,
  ];
}

function inboxTableStatements(quotedSchema: string): string[] {
  return [
    // An inbox row means that the handler accepted the event: it was handled, is queued for retry, or is a dead letter.
    `CREATE TABLE ${quotedSchema}.inbox (
      handler text NOT NULL,
      event_id uuid NOT NULL,
      taken_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (handler, event_id)
    )`,
    `CREATE INDEX inbox_taken ON ${quotedSchema}.inbox (taken_at)`,
    // The retry queue: failed events, and later events of the same key that wait for the failed event (attempts = 0).
    `CREATE TABLE ${quotedSchema}.parked (
      position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      handler text NOT NULL,
      event_id uuid NOT NULL,
      key text NOT NULL,
      event json NOT NULL,
      attempts integer NOT NULL,
      next_attempt_at timestamptz NOT NULL,
      parked_at timestamptz NOT NULL DEFAULT now(),
      last_error text
    )`,
    `CREATE INDEX parked_key ON ${quotedSchema}.parked (handler, key, position)`,
    `CREATE INDEX parked_due ON ${quotedSchema}.parked (next_attempt_at)`,
    // `raw` contains the bytes of a message that could not be read as an event; event_id and event are then null.
    `CREATE TABLE ${quotedSchema}.dead_letter (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      handler text NOT NULL,
      event_id uuid,
      key text NOT NULL,
      event json,
      attempts integer NOT NULL,
      parked_at timestamptz NOT NULL,
      died_at timestamptz NOT NULL DEFAULT now(),
      last_error text,
      raw bytea
    )`,
    `CREATE INDEX dead_letter_key ON ${quotedSchema}.dead_letter (handler, key)`,
  ];
}
