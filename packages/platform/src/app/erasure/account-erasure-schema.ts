/** Returns the DDL of the table in the app's schema that stores the erasures of accounts that are in progress. */
export function accountErasureSchemaSql(schema: string): string[] {
  return [
    `CREATE TABLE ${schema}.account_erasure (
      receipt_id uuid CONSTRAINT account_erasure_pkey PRIMARY KEY,
      subjects jsonb NOT NULL,
      counts jsonb NOT NULL DEFAULT '{}',
      due_at bigint NOT NULL,
      erased_at bigint NOT NULL DEFAULT 0,
      confirmed_at bigint,
      idle_passes integer NOT NULL DEFAULT 0
    )`,
    `CREATE INDEX account_erasure_due ON ${schema}.account_erasure (due_at)`,
  ];
}
