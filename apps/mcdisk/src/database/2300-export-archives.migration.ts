import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Archives of exports, whose blobs belong to no cloud. An app of the previous build condemns these blobs, because it does
 * not know their references; it deletes none within the seven days of grace, and this build makes them live again.
 */
export class ExportArchives1790000002300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mcdisk.export_archive');
  }
}

const STATEMENTS = [
  `CREATE TABLE mcdisk.export_archive (
    export_id uuid CONSTRAINT export_archive_pkey PRIMARY KEY,
    user_id uuid NOT NULL,
    due_at bigint NOT NULL,
    attempts smallint NOT NULL DEFAULT 0,
    staged_key uuid,
    blob_key uuid CONSTRAINT export_archive_blob_fkey REFERENCES mcdisk.blob
      CONSTRAINT export_archive_blob_unique UNIQUE,
    completed_at bigint,
    CONSTRAINT export_archive_complete CHECK ((blob_key IS NULL) = (completed_at IS NULL))
  )`,
  `CREATE INDEX export_archive_due ON mcdisk.export_archive (due_at) WHERE blob_key IS NULL`,
  `CREATE INDEX export_archive_user ON mcdisk.export_archive (user_id)`,
];
