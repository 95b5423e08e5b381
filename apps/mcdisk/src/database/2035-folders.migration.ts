import type { MigrationInterface, QueryRunner } from 'typeorm';
import { idempotencySchemaSql } from '@family-watch/platform/idempotency/idempotency-schema';

const UP = [
  // With `cid` in the index, an index-only scan can also count the contents for members who see only some children.
  `DROP INDEX mcdisk.content_listed`,
  `CREATE INDEX content_listed ON mcdisk.content (cloud_id, parent_catalog_id, updated_at DESC, content_id)
    INCLUDE (cid) WHERE state = 'ACTIVE'`,
  // These indexes support the foreign keys: each deletion of a folder's row checks that no content, upload or folder
  // refers to the row.
  `CREATE INDEX content_catalog ON mcdisk.content (parent_catalog_id) WHERE parent_catalog_id IS NOT NULL`,
  `CREATE INDEX upload_catalog ON mcdisk.upload (parent_catalog_id) WHERE parent_catalog_id IS NOT NULL`,
  `CREATE INDEX catalog_parent ON mcdisk.catalog (parent_catalog_id)`,
  `CREATE INDEX catalog_cloud ON mcdisk.catalog (cloud_id) WHERE state = 'ACTIVE'`,
  `CREATE INDEX catalog_deleted ON mcdisk.catalog (updated_at) WHERE state = 'DELETED'`,
  idempotencySchemaSql('mcdisk'),
];

const DOWN = [
  'DROP TABLE mcdisk.idempotency_key',
  'DROP INDEX mcdisk.catalog_deleted',
  'DROP INDEX mcdisk.catalog_cloud',
  'DROP INDEX mcdisk.catalog_parent',
  'DROP INDEX mcdisk.upload_catalog',
  'DROP INDEX mcdisk.content_catalog',
  'DROP INDEX mcdisk.content_listed',
  `CREATE INDEX content_listed ON mcdisk.content (cloud_id, parent_catalog_id, updated_at DESC, content_id)
    WHERE state = 'ACTIVE'`,
];

/** Indexes for folders, and the table of idempotency keys. */
export class Folders1790000002035 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
