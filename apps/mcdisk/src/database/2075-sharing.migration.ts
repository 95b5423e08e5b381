import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `CREATE TABLE mcdisk.share (
    authorization_id uuid CONSTRAINT share_pkey PRIMARY KEY,
    cloud_id text NOT NULL CONSTRAINT share_cloud_fkey REFERENCES mcdisk.family_cloud ON DELETE CASCADE,
    grantee text NOT NULL,
    created_by text NOT NULL,
    catalog_id uuid CONSTRAINT share_catalog_fkey REFERENCES mcdisk.catalog ON DELETE CASCADE,
    photo_id uuid CONSTRAINT share_album_fkey REFERENCES mcdisk.album ON DELETE CASCADE,
    created_at bigint NOT NULL,
    expires_at bigint,
    CONSTRAINT share_subject CHECK (catalog_id IS NULL OR photo_id IS NULL)
  )`,
  `CREATE INDEX share_listed ON mcdisk.share (cloud_id, created_at DESC, authorization_id)`,
  `CREATE INDEX share_grantee ON mcdisk.share (grantee, cloud_id)`,
  `CREATE INDEX share_maker ON mcdisk.share (created_by)`,
  `CREATE INDEX share_expiry ON mcdisk.share (expires_at) WHERE expires_at IS NOT NULL`,
  `CREATE INDEX share_catalog ON mcdisk.share (catalog_id) WHERE catalog_id IS NOT NULL`,
  `CREATE INDEX share_photo ON mcdisk.share (photo_id) WHERE photo_id IS NOT NULL`,
  `CREATE TABLE mcdisk.share_content (
    authorization_id uuid CONSTRAINT share_content_share_fkey REFERENCES mcdisk.share ON DELETE CASCADE,
    content_id uuid CONSTRAINT share_content_content_fkey REFERENCES mcdisk.content ON DELETE CASCADE,
    CONSTRAINT share_content_pkey PRIMARY KEY (authorization_id, content_id)
  )`,
  // This index supports the removal of purged contents from all shares.
  `CREATE INDEX share_content_content ON mcdisk.share_content (content_id)`,
  `CREATE TABLE mcdisk.friendship (
    friendship_id text CONSTRAINT friendship_pkey PRIMARY KEY,
    version bigint NOT NULL,
    one_cid text NOT NULL,
    other_cid text NOT NULL,
    active boolean NOT NULL,
    ended_at bigint,
    CONSTRAINT friendship_pair CHECK (one_cid < other_cid)
  )`,
  `CREATE INDEX friendship_of_pair ON mcdisk.friendship (one_cid, other_cid)`,
  `CREATE INDEX friendship_of_other ON mcdisk.friendship (other_cid)`,
  // A content may be sent repeatedly, in messages that expire at different times.
  `CREATE TABLE mcdisk.media_grant (
    content_id uuid,
    message_id text,
    cloud_id text NOT NULL,
    from_cid text NOT NULL,
    to_cid text NOT NULL,
    to_family_id text NOT NULL,
    granted_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    CONSTRAINT media_grant_pkey PRIMARY KEY (content_id, message_id, to_cid)
  )`,
  `CREATE INDEX media_grant_message ON mcdisk.media_grant (message_id)`,
  `CREATE INDEX media_grant_expiry ON mcdisk.media_grant (expires_at)`,
  `CREATE INDEX media_grant_from ON mcdisk.media_grant (from_cid)`,
  `CREATE INDEX media_grant_to ON mcdisk.media_grant (to_cid)`,
  `CREATE INDEX media_grant_cloud ON mcdisk.media_grant (cloud_id)`,
];

/** Read access without the right to read: by a share, or by a chat message between befriended children. */
export class Sharing1790000002075 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mcdisk.media_grant, mcdisk.friendship, mcdisk.share_content, mcdisk.share');
  }
}
