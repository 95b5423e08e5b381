import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `CREATE TABLE mcdisk.rendition (
    source_key uuid NOT NULL CONSTRAINT rendition_source_fkey REFERENCES mcdisk.blob,
    kind text NOT NULL CONSTRAINT rendition_kind CHECK (kind IN ('THUMBNAIL', 'SHARED')),
    state text NOT NULL CONSTRAINT rendition_state CHECK (state IN ('WAITING', 'READY', 'NONE', 'FAILED')),
    blob_key uuid CONSTRAINT rendition_blob_fkey REFERENCES mcdisk.blob,
    media_type text,
    size bigint,
    digest text,
    width integer,
    height integer,
    shot_at bigint,
    attempts smallint NOT NULL DEFAULT 0,
    due_at bigint NOT NULL,
    lease_holder uuid,
    CONSTRAINT rendition_pkey PRIMARY KEY (source_key, kind),
    CONSTRAINT rendition_complete CHECK (state <> 'READY'
      OR (blob_key IS NOT NULL AND media_type IS NOT NULL AND size IS NOT NULL AND digest IS NOT NULL)),
    CONSTRAINT rendition_without_bytes CHECK (state IN ('WAITING', 'READY') OR blob_key IS NULL)
  )`,
  `CREATE INDEX rendition_due ON mcdisk.rendition (due_at) WHERE state = 'WAITING'`,
  `CREATE UNIQUE INDEX rendition_blob ON mcdisk.rendition (blob_key) WHERE blob_key IS NOT NULL`,
];

/** Thumbnails, and renditions that people without the right to read receive instead of originals. */
export class Renditions1790000002080 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mcdisk.rendition');
  }
}
