import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `CREATE TABLE mcdisk.bin_emptying (
    cloud_id text CONSTRAINT bin_emptying_pkey PRIMARY KEY
      CONSTRAINT bin_emptying_cloud_fkey REFERENCES mcdisk.family_cloud,
    requested_by text NOT NULL,
    recycled_until bigint NOT NULL,
    recycled_from bigint NOT NULL DEFAULT 0,
    next_at bigint NOT NULL DEFAULT 0
  )`,
  // Each changed content is written to every index of the table. Blob keys are random, so in an index by blob key alone
  // 200 contents are on 200 pages. In an index by cloud and blob key they are on few pages. Purged contents have no
  // blob key and need no entry.
  `ALTER TABLE mcdisk.blob ADD CONSTRAINT blob_of_cloud UNIQUE (cloud_id, blob_key)`,
  `ALTER TABLE mcdisk.content DROP CONSTRAINT content_blob_fkey`,
  `ALTER TABLE mcdisk.content ADD CONSTRAINT content_blob_fkey
    FOREIGN KEY (cloud_id, blob_key) REFERENCES mcdisk.blob (cloud_id, blob_key)`,
  `DROP INDEX mcdisk.content_blob`,
  `CREATE INDEX content_blob ON mcdisk.content (cloud_id, blob_key) WHERE blob_key IS NOT NULL`,
];

const DOWN = [
  `DROP INDEX mcdisk.content_blob`,
  `CREATE INDEX content_blob ON mcdisk.content (blob_key)`,
  `ALTER TABLE mcdisk.content DROP CONSTRAINT content_blob_fkey`,
  `ALTER TABLE mcdisk.content ADD CONSTRAINT content_blob_fkey FOREIGN KEY (blob_key) REFERENCES mcdisk.blob`,
  `ALTER TABLE mcdisk.blob DROP CONSTRAINT blob_of_cloud`,
  `DROP TABLE mcdisk.bin_emptying`,
];

/** Recycle bins that are being emptied, and cheaper indexes for moving files into and out of them. */
export class RecycleBin1790000002036 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
