import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `CREATE TABLE mcdisk.album (
    photo_id uuid CONSTRAINT album_pkey PRIMARY KEY,
    cloud_id text NOT NULL CONSTRAINT album_cloud_fkey REFERENCES mcdisk.family_cloud ON DELETE CASCADE,
    cid text,
    name text NOT NULL,
    cover_content_id uuid CONSTRAINT album_cover_fkey REFERENCES mcdisk.content ON DELETE SET NULL,
    created_by text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
  )`,
  `CREATE INDEX album_listed ON mcdisk.album (cloud_id, updated_at DESC, photo_id)`,
  `CREATE INDEX album_cover ON mcdisk.album (cover_content_id) WHERE cover_content_id IS NOT NULL`,
  `CREATE TABLE mcdisk.album_content (
    photo_id uuid CONSTRAINT album_content_album_fkey REFERENCES mcdisk.album ON DELETE CASCADE,
    content_id uuid CONSTRAINT album_content_content_fkey REFERENCES mcdisk.content ON DELETE CASCADE,
    cloud_id text NOT NULL,
    added_at bigint NOT NULL,
    CONSTRAINT album_content_pkey PRIMARY KEY (photo_id, content_id)
  )`,
  // This index supports the removal of purged contents from all albums.
  `CREATE INDEX album_content_content ON mcdisk.album_content (content_id)`,
];

/** Albums and their contents. */
export class Albums1790000002070 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mcdisk.album_content, mcdisk.album');
  }
}
