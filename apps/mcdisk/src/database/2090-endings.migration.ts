import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  // A table with one row: the id and the generation of the store that belongs to this database.
  `CREATE TABLE mcdisk.store_mark (
    id smallint CONSTRAINT store_mark_pkey PRIMARY KEY DEFAULT 1 CONSTRAINT store_mark_single CHECK (id = 1),
    store_id uuid NOT NULL,
    generation bigint NOT NULL,
    marked_at bigint NOT NULL
  )`,
  `CREATE INDEX blob_gone ON mcdisk.blob (state_since) WHERE state = 'GONE'`,
  `CREATE TABLE mcdisk.ending (
    kind text NOT NULL CONSTRAINT ending_kind CHECK (kind IN ('FAMILY', 'CHILD', 'ACCOUNT')),
    subject text NOT NULL,
    cloud_id text,
    state text NOT NULL CONSTRAINT ending_state CHECK (state IN ('WAITING', 'WATCHED', 'FORGETTING')),
    due_at bigint NOT NULL,
    cursor uuid,
    CONSTRAINT ending_pkey PRIMARY KEY (kind, subject)
  )`,
  `CREATE INDEX ending_due ON mcdisk.ending (due_at)`,
  // The index contains only active contents, so that moving hundreds of contents to the recycle bin adds no entries.
  `CREATE INDEX content_child ON mcdisk.content (cloud_id, cid, content_id) WHERE cid IS NOT NULL AND state = 'ACTIVE'`,
];

const DOWN = [
  'DROP INDEX mcdisk.content_child',
  'DROP TABLE mcdisk.ending',
  'DROP INDEX mcdisk.blob_gone',
  'DROP TABLE mcdisk.store_mark',
];

/** Cleanup tasks, and the identity of the store. */
export class Endings1790000002090 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
