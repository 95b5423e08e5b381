import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Operators with their sessions and recovery codes, and the audit list of their requests. */
export class Operators1790000000260 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES.toReversed()) await runner.query(`DROP TABLE userctx.${table}`);
  }
}

const TABLES = ['operator_account', 'operator_recovery_code', 'operator_session', 'operator_audit_entry'];

const STATEMENTS = [
  `CREATE TABLE userctx.operator_account (
    operator_id uuid CONSTRAINT operator_account_pkey PRIMARY KEY,
    login_name text NOT NULL CONSTRAINT operator_account_login_name_unique UNIQUE,
    roles text[] NOT NULL,
    password_hash text NOT NULL,
    sealed_totp_secret bytea NOT NULL,
    last_totp_step bigint NOT NULL DEFAULT 0,
    credential_version integer NOT NULL DEFAULT 1,
    suspended_at bigint,
    created_at bigint NOT NULL,
    CONSTRAINT operator_account_roles_known
      CHECK (cardinality(roles) > 0 AND roles <@ ARRAY['SUPPORT', 'FLEET', 'BILLING', 'ADMIN'])
  )`,
  `CREATE TABLE userctx.operator_recovery_code (
    operator_id uuid NOT NULL CONSTRAINT operator_recovery_code_account_fkey
      REFERENCES userctx.operator_account ON DELETE CASCADE,
    digest bytea NOT NULL,
    CONSTRAINT operator_recovery_code_pkey PRIMARY KEY (operator_id, digest)
  )`,
  `CREATE TABLE userctx.operator_session (
    session_id uuid CONSTRAINT operator_session_pkey PRIMARY KEY,
    operator_id uuid NOT NULL CONSTRAINT operator_session_account_fkey
      REFERENCES userctx.operator_account ON DELETE CASCADE,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    ended_at bigint
  )`,
  `CREATE INDEX operator_session_operator ON userctx.operator_session (operator_id)`,
  `CREATE INDEX operator_session_expiry ON userctx.operator_session (expires_at)`,
  `CREATE TABLE userctx.operator_audit_entry (
    entry_id uuid CONSTRAINT operator_audit_entry_pkey PRIMARY KEY,
    time bigint NOT NULL,
    actor text NOT NULL,
    session_id uuid,
    operation text NOT NULL,
    fields jsonb NOT NULL,
    admitted boolean NOT NULL,
    ip text
  )`,
  `CREATE INDEX operator_audit_entry_time ON userctx.operator_audit_entry (time DESC, entry_id DESC)`,
  `CREATE INDEX operator_audit_entry_actor ON userctx.operator_audit_entry (actor, time DESC, entry_id DESC)`,
];
