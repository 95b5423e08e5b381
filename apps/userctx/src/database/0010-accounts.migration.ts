import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts, sessions and their refresh tokens, SMS codes, signing keys, revocations and attempt counters. */
export class Accounts1790000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...ACCOUNTS, ...SESSIONS, ...CODES, ...KEYS, ...REVOCATIONS])
      await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES.toReversed()) await runner.query(`DROP TABLE userctx.${table}`);
  }
}

const TABLES = ['account', 'session', 'refresh_token', 'sms_challenge', 'attempt_counter', 'signing_key', 'revocation'];

const ACCOUNTS = [
  `CREATE TABLE userctx.account (
    user_id uuid CONSTRAINT account_pkey PRIMARY KEY,
    area_code text NOT NULL,
    phone_number text NOT NULL,
    nickname text NOT NULL,
    avatar text,
    time_zone text NOT NULL,
    password_hash text,
    credential_version integer NOT NULL DEFAULT 1,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT account_phone_unique UNIQUE (area_code, phone_number)
  )`,
];

const SESSIONS = [
  `CREATE TABLE userctx.session (
    session_id uuid CONSTRAINT session_pkey PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT session_account_fkey REFERENCES userctx.account ON DELETE CASCADE,
    client text,
    created_at bigint NOT NULL,
    last_used_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    ended_at bigint,
    ended_by text,
    CONSTRAINT session_ending_whole CHECK ((ended_at IS NULL) = (ended_by IS NULL))
  )`,
  `CREATE INDEX session_standing ON userctx.session (user_id, created_at DESC, session_id DESC) WHERE ended_at IS NULL`,
  `CREATE INDEX session_expiry ON userctx.session (expires_at)`,
  `CREATE TABLE userctx.refresh_token (
    token_hash bytea CONSTRAINT refresh_token_pkey PRIMARY KEY,
    session_id uuid NOT NULL CONSTRAINT refresh_token_session_fkey REFERENCES userctx.session ON DELETE CASCADE,
    issued_at bigint NOT NULL,
    used_at bigint,
    sealed_successor bytea,
    CONSTRAINT refresh_token_use_whole CHECK ((used_at IS NULL) = (sealed_successor IS NULL))
  )`,
  `CREATE INDEX refresh_token_session ON userctx.refresh_token (session_id)`,
];

const CODES = [
  `CREATE TABLE userctx.sms_challenge (
    area_code text NOT NULL,
    phone_number text NOT NULL,
    scene text NOT NULL,
    challenge_id uuid NOT NULL,
    digest bytea NOT NULL,
    tries smallint NOT NULL DEFAULT 0,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    consumed_at bigint,
    CONSTRAINT sms_challenge_pkey PRIMARY KEY (area_code, phone_number, scene),
    CONSTRAINT sms_challenge_id_unique UNIQUE (challenge_id),
    CONSTRAINT sms_challenge_tries_bounded CHECK (tries BETWEEN 0 AND 5)
  )`,
  `CREATE INDEX sms_challenge_age ON userctx.sms_challenge (created_at)`,
  // The table is logged, because unlogged tables lose their rows in a crash, and a crash must not reset limits.
  `CREATE TABLE userctx.attempt_counter (
    key bytea CONSTRAINT attempt_counter_pkey PRIMARY KEY,
    attempts integer NOT NULL,
    window_ends_at bigint NOT NULL
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX attempt_counter_window ON userctx.attempt_counter (window_ends_at)`,
];

const KEYS = [
  `CREATE TABLE userctx.signing_key (
    generation integer CONSTRAINT signing_key_pkey PRIMARY KEY,
    kid text NOT NULL CONSTRAINT signing_key_kid_unique UNIQUE,
    public_key text NOT NULL,
    sealed_private_key bytea NOT NULL,
    signs_from bigint NOT NULL,
    CONSTRAINT signing_key_generation_positive CHECK (generation > 0)
  )`,
];

const REVOCATIONS = [
  `CREATE TABLE userctx.revocation (
    revocation_id uuid CONSTRAINT revocation_pkey PRIMARY KEY,
    session_id text,
    principal text,
    time bigint NOT NULL,
    CONSTRAINT revocation_scope_single CHECK (num_nonnulls(session_id, principal) = 1)
  )`,
  `CREATE INDEX revocation_time ON userctx.revocation (time)`,
];
