import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `CREATE TABLE mcdisk.link_key (
    key_id integer CONSTRAINT link_key_pkey PRIMARY KEY CONSTRAINT link_key_number CHECK (key_id > 0),
    secret bytea NOT NULL,
    signs_from bigint NOT NULL
  )`,
  `DROP TABLE mcdisk.download_link`,
];

const DOWN = [
  `CREATE TABLE mcdisk.download_link (
    token_hash bytea CONSTRAINT download_link_pkey PRIMARY KEY,
    cloud_id text NOT NULL,
    content_id uuid NOT NULL,
    principal text NOT NULL,
    session_id text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
  )`,
  `CREATE INDEX download_link_expires ON mcdisk.download_link (expires_at)`,
  `DROP TABLE mcdisk.link_key`,
];

/** Download URLs are signed and so are not stored in a table. */
export class SignedLinks1790000002050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
