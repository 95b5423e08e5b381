import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `CREATE TABLE mcdisk.catalog (
    catalog_id uuid CONSTRAINT catalog_pkey PRIMARY KEY,
    cloud_id text NOT NULL CONSTRAINT catalog_cloud_fkey REFERENCES mcdisk.family_cloud,
    parent_catalog_id uuid CONSTRAINT catalog_parent_fkey REFERENCES mcdisk.catalog,
    name text NOT NULL,
    chain uuid[] NOT NULL,
    created_by text NOT NULL,
    state text NOT NULL CONSTRAINT catalog_state CHECK (state IN ('ACTIVE', 'DELETED')),
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT catalog_chain CHECK (chain[cardinality(chain)] = catalog_id)
  )`,
  `CREATE UNIQUE INDEX catalog_name ON mcdisk.catalog (cloud_id, parent_catalog_id, name) NULLS NOT DISTINCT
    WHERE state = 'ACTIVE'`,
  // The only index that finds all descendants of a folder.
  `CREATE INDEX catalog_chain ON mcdisk.catalog USING gin (chain)`,
  `ALTER TABLE mcdisk.content
    ADD CONSTRAINT content_catalog_fkey FOREIGN KEY (parent_catalog_id) REFERENCES mcdisk.catalog,
    ADD COLUMN shot_at bigint`,
  `DROP INDEX mcdisk.content_listed`,
  `CREATE INDEX content_listed ON mcdisk.content (cloud_id, parent_catalog_id, updated_at DESC, content_id)
    WHERE state = 'ACTIVE'`,
  `CREATE INDEX content_recycled ON mcdisk.content (cloud_id, recycled_at DESC, content_id) WHERE state = 'RECYCLED'`,
  `ALTER TABLE mcdisk.blob ADD COLUMN size bigint, ADD COLUMN digest text`,
  `UPDATE mcdisk.blob b SET size = c.size, digest = c.digest FROM mcdisk.content c WHERE c.blob_key = b.blob_key`,
  // This index finds a blob with given bytes, because equal bytes are stored once per family.
  `CREATE INDEX blob_equal ON mcdisk.blob (cloud_id, digest, size) WHERE state IN ('LIVE', 'CONDEMNED')`,
  `ALTER TABLE mcdisk.upload
    ADD CONSTRAINT upload_catalog_fkey FOREIGN KEY (parent_catalog_id) REFERENCES mcdisk.catalog,
    ADD COLUMN received_size bigint NOT NULL DEFAULT 0
      CONSTRAINT upload_received CHECK (received_size >= 0 AND received_size <= size),
    ADD COLUMN lock_holder uuid,
    ADD COLUMN lock_until bigint,
    ADD COLUMN lock_wanted boolean NOT NULL DEFAULT false`,
];

const DOWN = [
  `ALTER TABLE mcdisk.upload
    DROP COLUMN lock_wanted, DROP COLUMN lock_until, DROP COLUMN lock_holder, DROP COLUMN received_size,
    DROP CONSTRAINT upload_catalog_fkey`,
  `DROP INDEX mcdisk.blob_equal`,
  `ALTER TABLE mcdisk.blob DROP COLUMN digest, DROP COLUMN size`,
  `DROP INDEX mcdisk.content_recycled`,
  `DROP INDEX mcdisk.content_listed`,
  `CREATE INDEX content_listed ON mcdisk.content (cloud_id, updated_at DESC, content_id) WHERE state = 'ACTIVE'`,
  `ALTER TABLE mcdisk.content DROP COLUMN shot_at, DROP CONSTRAINT content_catalog_fkey`,
  `DROP TABLE mcdisk.catalog`,
];

/** Folders, the capture time of contents, deduplication of blobs, and resumable uploads. */
export class FileStore1790000002030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
