import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `CREATE TABLE mcdisk.family_projection (
    family_id text CONSTRAINT family_projection_pkey PRIMARY KEY,
    version bigint NOT NULL,
    snapshot jsonb NOT NULL,
    principals text[] NOT NULL
  )`,
  // The only index that finds the families to which a user or watch belongs.
  `CREATE INDEX family_projection_principals ON mcdisk.family_projection USING gin (principals)`,
  `CREATE TABLE mcdisk.family_cloud (
    cloud_id text CONSTRAINT family_cloud_pkey PRIMARY KEY,
    disk_size bigint NOT NULL,
    used_size bigint NOT NULL DEFAULT 0,
    reserved_size bigint NOT NULL DEFAULT 0,
    recycle_size bigint NOT NULL DEFAULT 0,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT family_cloud_sizes CHECK (used_size >= 0 AND reserved_size >= 0 AND recycle_size >= 0)
  )`,
  `CREATE TABLE mcdisk.blob (
    blob_key uuid CONSTRAINT blob_pkey PRIMARY KEY,
    cloud_id text NOT NULL CONSTRAINT blob_cloud_fkey REFERENCES mcdisk.family_cloud,
    state text NOT NULL
      CONSTRAINT blob_state CHECK (state IN ('STAGED', 'LIVE', 'CONDEMNED', 'DELETING', 'GONE')),
    state_since bigint NOT NULL
  )`,
  `CREATE INDEX blob_unsettled ON mcdisk.blob (state, state_since) WHERE state NOT IN ('LIVE', 'GONE')`,
  `CREATE TABLE mcdisk.content (
    content_id uuid CONSTRAINT content_pkey PRIMARY KEY,
    cloud_id text NOT NULL CONSTRAINT content_cloud_fkey REFERENCES mcdisk.family_cloud,
    parent_catalog_id uuid,
    cid text,
    blob_key uuid CONSTRAINT content_blob_fkey REFERENCES mcdisk.blob,
    name text NOT NULL,
    size bigint NOT NULL CONSTRAINT content_size CHECK (size >= 0),
    digest text NOT NULL,
    type smallint NOT NULL,
    media_type text NOT NULL,
    uploader text NOT NULL,
    state text NOT NULL CONSTRAINT content_state CHECK (state IN ('ACTIVE', 'RECYCLED', 'PURGED')),
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    recycled_at bigint,
    purge_at bigint,
    CONSTRAINT content_has_bytes CHECK (blob_key IS NOT NULL OR state = 'PURGED')
  )`,
  `CREATE INDEX content_listed ON mcdisk.content (cloud_id, updated_at DESC, content_id) WHERE state = 'ACTIVE'`,
  `CREATE INDEX content_blob ON mcdisk.content (blob_key)`,
  `CREATE INDEX content_purge ON mcdisk.content (purge_at) WHERE state = 'RECYCLED'`,
  `CREATE TABLE mcdisk.upload (
    content_id uuid CONSTRAINT upload_pkey PRIMARY KEY,
    task_id uuid NOT NULL,
    cloud_id text NOT NULL CONSTRAINT upload_cloud_fkey REFERENCES mcdisk.family_cloud,
    principal text NOT NULL,
    session_id text NOT NULL,
    parent_catalog_id uuid,
    token_hash bytea NOT NULL CONSTRAINT upload_token_key UNIQUE,
    name text NOT NULL,
    size bigint NOT NULL CONSTRAINT upload_size CHECK (size >= 0),
    digest text,
    state text NOT NULL CONSTRAINT upload_state
      CHECK (state IN ('PENDING', 'RECEIVING', 'COMPLETE', 'REFUSED', 'ABORTED', 'EXPIRED')),
    blob_key uuid CONSTRAINT upload_blob_fkey REFERENCES mcdisk.blob,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    completed_at bigint
  )`,
  `CREATE INDEX upload_task ON mcdisk.upload (task_id)`,
  `CREATE INDEX upload_blob ON mcdisk.upload (blob_key)`,
  `CREATE INDEX upload_open ON mcdisk.upload (expires_at) WHERE state IN ('PENDING', 'RECEIVING')`,
  `CREATE INDEX upload_created ON mcdisk.upload (created_at)`,
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
];

const TABLES = ['download_link', 'upload', 'content', 'blob', 'family_cloud', 'family_projection'];

export class FamilyCloud1790000002020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`DROP TABLE mcdisk.${table}`);
  }
}
