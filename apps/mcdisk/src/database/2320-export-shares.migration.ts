import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The order of exports, and an index with which the copies of a file are read one after the other. The index replaces one
 * with the same first columns.
 */
export class ExportShares1790000002320 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `ALTER TABLE mcdisk.export_archive ADD COLUMN requested_at bigint`,
  `ALTER TABLE mcdisk.export_archive ADD COLUMN expected_size bigint`,
  `CREATE INDEX IF NOT EXISTS content_copies ON mcdisk.content (cloud_id, blob_key, content_id)
     WHERE blob_key IS NOT NULL`,
  `DROP INDEX IF EXISTS mcdisk.content_blob`,
];

const DOWN = [
  `CREATE INDEX content_blob ON mcdisk.content (cloud_id, blob_key) WHERE blob_key IS NOT NULL`,
  `DROP INDEX mcdisk.content_copies`,
  `ALTER TABLE mcdisk.export_archive DROP COLUMN expected_size`,
  `ALTER TABLE mcdisk.export_archive DROP COLUMN requested_at`,
];
