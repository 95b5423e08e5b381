import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Exports of everything that a person may see. At most one export of a person is assembled at a time. */
export class DataExports1790000000322 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE userctx.data_export');
  }
}

const STATEMENTS = [
  `CREATE TABLE userctx.data_export (
    export_id uuid CONSTRAINT data_export_pkey PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT data_export_account_fkey REFERENCES userctx.account ON DELETE CASCADE,
    session_id uuid NOT NULL,
    state text NOT NULL
      CONSTRAINT data_export_state CHECK (state IN ('WAITING', 'RUNNING', 'READY', 'FAILED', 'ENDED')),
    requested_at bigint NOT NULL,
    scope text[] NOT NULL,
    family_ids uuid[] NOT NULL,
    records integer NOT NULL DEFAULT 0,
    files integer NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    size bigint,
    expires_at bigint
  )`,
  `CREATE UNIQUE INDEX data_export_running ON userctx.data_export (user_id) WHERE state IN ('WAITING', 'RUNNING')`,
  `CREATE INDEX data_export_person ON userctx.data_export (user_id, requested_at)`,
  `CREATE INDEX data_export_expiry ON userctx.data_export (expires_at) WHERE state = 'READY'`,
  `CREATE INDEX data_export_families ON userctx.data_export USING gin (family_ids)
     WHERE state IN ('WAITING', 'RUNNING', 'READY')`,
];
