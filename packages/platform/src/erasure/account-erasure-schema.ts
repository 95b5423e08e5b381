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
