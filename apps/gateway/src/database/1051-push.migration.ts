import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables for push tokens, pending notifications, and the VAPID keys of Web Push. */
export class Push1790000001051 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE gateway.push_token (
        token_id uuid NOT NULL,
        user_id text NOT NULL,
        session_id text NOT NULL,
        service text NOT NULL,
        token text NOT NULL,
        digest bytea NOT NULL,
        keys json,
        created_at bigint NOT NULL,
        CONSTRAINT pk_push_token PRIMARY KEY (token_id),
        CONSTRAINT uq_push_token_digest UNIQUE (digest),
        CONSTRAINT uq_push_token_session UNIQUE (session_id, service)
      )`);
    await queryRunner.query('CREATE INDEX ix_push_token_user ON gateway.push_token (user_id, created_at)');
    // Updated repeatedly while a user is offline: the fill factor leaves space for in-page (HOT) updates.
    await queryRunner.query(`
      CREATE TABLE gateway.push_request (
        user_id text NOT NULL,
        collapse_key text NOT NULL,
        head bigint NOT NULL,
        kind text NOT NULL,
        category text NOT NULL,
        urgent boolean NOT NULL,
        center_message_id uuid,
        subject json NOT NULL,
        due_at bigint NOT NULL,
        expires_at bigint NOT NULL,
        claimed_until bigint NOT NULL DEFAULT 0,
        attempts smallint NOT NULL DEFAULT 0,
        delivered uuid[] NOT NULL DEFAULT '{}',
        CONSTRAINT pk_push_request PRIMARY KEY (user_id, collapse_key)
      ) WITH (fillfactor = 70)`);
    await queryRunner.query('CREATE INDEX ix_push_request_due ON gateway.push_request (due_at)');
    await queryRunner.query(`
      CREATE TABLE gateway.push_key (
        singleton boolean NOT NULL DEFAULT true,
        public_key text NOT NULL,
        sealed_private_key bytea NOT NULL,
        CONSTRAINT pk_push_key PRIMARY KEY (singleton),
        CONSTRAINT ck_push_key_singleton CHECK (singleton)
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE gateway.push_key, gateway.push_request, gateway.push_token');
  }
}
