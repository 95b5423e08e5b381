/** Returns the DDL of the table in the app's schema that stores responses by caller, operation and key. */
export function idempotencySchemaSql(schema: string): string {
  return `CREATE TABLE ${schema}.idempotency_key (
    principal text NOT NULL,
    operation text NOT NULL,
    key text NOT NULL,
    request_digest bytea NOT NULL,
    answer jsonb,
    created_at bigint NOT NULL,
    CONSTRAINT idempotency_key_pkey PRIMARY KEY (principal, operation, key)
  )`;
}
