/** Returns the DDL of the table in the app's schema that stores the erasures of accounts that are in progress. */
export function accountErasureSchemaSql(schema: string): string[] {
  return [
    `CREATE TABLE ${schema}.account_erasure (
      receipt_id uuid CONSTRAINT account_erasure_pkey PRIMARY KEY,
      subjects jsonb NOT NULL,
      counts jsonb NOT NULL DEFAULT '{}',
      due_at bigint NOT NULL
    )`,
    `CREATE INDEX account_erasure_due ON ${schema}.account_erasure (due_at)`,
  ];
}

/** Returns the DDL of the columns with which an erasure waits longer after each failure, and looks for late rows. */
export function accountErasurePassesSql(schema: string): string {
  return `ALTER TABLE ${schema}.account_erasure
    ADD COLUMN erased_at bigint NOT NULL DEFAULT 0,
    ADD COLUMN confirmed_at bigint,
    ADD COLUMN idle_passes integer NOT NULL DEFAULT 0`;
}

/** Returns the DDL that undoes {@link accountErasurePassesSql}. The erasures that remain are confirmed again. */
export function dropAccountErasurePassesSql(schema: string): string {
  return `ALTER TABLE ${schema}.account_erasure
    DROP COLUMN erased_at, DROP COLUMN confirmed_at, DROP COLUMN idle_passes`;
}
