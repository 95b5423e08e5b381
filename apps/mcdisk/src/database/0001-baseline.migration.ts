import { eventBusSchemaSql } from '@family-watch/event-bus/event-bus-schema';
import type { ContractingMigration } from '@family-watch/platform/database/schema-compatibility';
import { accountErasureSchemaSql } from '@family-watch/platform/app/erasure/account-erasure-schema';
import { idempotencySchemaSql } from '@family-watch/platform/http/idempotency/idempotency-schema';
import type { QueryRunner } from 'typeorm';

/** The schema of mcdisk at release 1.0.0, in the order of its rooms. Times are Unix milliseconds. */
export class Baseline1790000000001 implements ContractingMigration {
  /** Builds before 1.0.0 store rows under other names, and would handle events again. */
  readonly appsMustKnow = Baseline1790000000001;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('No schema precedes the baseline'));
  }
}

/**
 * Returns the statements that create a trigger. It updates the counts of contents per album and child after a statement
 * that adds contents to albums, removes them or changes their child. `rows` selects `sign` 1 or -1 per row.
 */
function counter(event: string, tables: string, rows: string): string[] {
  const name = `album_content_counted_on_${event.toLowerCase()}`;
  return [
    // The join omits deleted albums, whose counts are deleted with them.
    `CREATE FUNCTION mcdisk.${name}() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       INSERT INTO mcdisk.album_count AS known (photo_id, cid, placed)
       SELECT changed.photo_id, changed.cid, sum(changed.sign)
         FROM (${rows}) changed JOIN mcdisk.album USING (photo_id)
        GROUP BY 1, 2 HAVING sum(changed.sign) <> 0 ORDER BY 1, 2
           ON CONFLICT (photo_id, cid) DO UPDATE SET placed = known.placed + excluded.placed;
       RETURN NULL;
     END $$`,
    `CREATE TRIGGER ${name} AFTER ${event} ON mcdisk.album_content
       REFERENCING ${tables} FOR EACH STATEMENT EXECUTE FUNCTION mcdisk.${name}()`,
  ];
}

const ADDED = 'SELECT photo_id, cid, 1 AS sign FROM added';
const REMOVED = 'SELECT photo_id, cid, -1 AS sign FROM removed';

const STATEMENTS = [
  ...eventBusSchemaSql('mcdisk'),
  idempotencySchemaSql('mcdisk'),
  ...accountErasureSchemaSql('mcdisk'),

  // Clouds
  `CREATE TABLE mcdisk.family_projection (
    family_id text NOT NULL,
    version bigint NOT NULL,
    snapshot jsonb NOT NULL,
    principals text[] NOT NULL,
    PRIMARY KEY (family_id)
  )`,
  // The only index that finds the families to which a user or watch belongs.
  `CREATE INDEX family_projection_principals ON mcdisk.family_projection USING gin (principals)`,
  `CREATE TABLE mcdisk.family_cloud (
    cloud_id text NOT NULL,
    disk_size bigint NOT NULL,
    used_size bigint NOT NULL DEFAULT 0,
    reserved_size bigint NOT NULL DEFAULT 0,
    recycle_size bigint NOT NULL DEFAULT 0,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    content_count integer NOT NULL DEFAULT 0,
    entitlement_version bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (cloud_id),
    CONSTRAINT family_cloud_sizes_check CHECK (used_size >= 0 AND reserved_size >= 0 AND recycle_size >= 0),
    CONSTRAINT family_cloud_content_count_check CHECK (content_count >= 0)
  )`,

  // Blobs
  `CREATE TABLE mcdisk.blob (
    blob_key uuid NOT NULL,
    cloud_id text,
    state text NOT NULL,
    state_since bigint NOT NULL,
    size bigint,
    digest text,
    removals smallint NOT NULL DEFAULT 0,
    removal_after bigint,
    PRIMARY KEY (blob_key),
    CONSTRAINT blob_of_cloud_key UNIQUE (cloud_id, blob_key),
    CONSTRAINT blob_state_check CHECK (state IN ('STAGED', 'LIVE', 'CONDEMNED', 'DELETING', 'GONE')),
    CONSTRAINT blob_cloud_fkey FOREIGN KEY (cloud_id) REFERENCES mcdisk.family_cloud
  )`,
  `CREATE INDEX blob_unsettled ON mcdisk.blob (state, state_since) WHERE state NOT IN ('LIVE', 'GONE')`,
  // Finds a blob with given bytes, because equal bytes are stored once per family.
  `CREATE INDEX blob_equal ON mcdisk.blob (cloud_id, digest, size) WHERE state IN ('LIVE', 'CONDEMNED')`,
  `CREATE INDEX blob_gone ON mcdisk.blob (state_since) WHERE state = 'GONE'`,
  // A table with one row: the id and the generation of the store that belongs to this database.
  `CREATE TABLE mcdisk.store_mark (
    id smallint NOT NULL DEFAULT 1,
    store_id uuid NOT NULL,
    generation bigint NOT NULL,
    marked_at bigint NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT store_mark_single_check CHECK (id = 1)
  )`,
  `CREATE TABLE mcdisk.link_key (
    key_id integer NOT NULL,
    secret bytea NOT NULL,
    signs_from bigint NOT NULL,
    PRIMARY KEY (key_id),
    CONSTRAINT link_key_number_check CHECK (key_id > 0)
  )`,

  // Files
  `CREATE TABLE mcdisk.catalog (
    catalog_id uuid NOT NULL,
    cloud_id text NOT NULL,
    parent_catalog_id uuid,
    name text NOT NULL,
    chain uuid[] NOT NULL,
    created_by text NOT NULL,
    state text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (catalog_id),
    CONSTRAINT catalog_state_check CHECK (state IN ('ACTIVE', 'DELETED')),
    CONSTRAINT catalog_chain_check CHECK (chain[cardinality(chain)] = catalog_id),
    CONSTRAINT catalog_cloud_fkey FOREIGN KEY (cloud_id) REFERENCES mcdisk.family_cloud,
    CONSTRAINT catalog_parent_fkey FOREIGN KEY (parent_catalog_id) REFERENCES mcdisk.catalog
  )`,
  `CREATE UNIQUE INDEX catalog_name ON mcdisk.catalog (cloud_id, parent_catalog_id, name) NULLS NOT DISTINCT
    WHERE state = 'ACTIVE'`,
  `CREATE INDEX catalog_chain ON mcdisk.catalog USING gin (chain)`,
  // Supports the foreign key: each deletion of a folder's row checks that no folder refers to the row.
  `CREATE INDEX catalog_parent ON mcdisk.catalog (parent_catalog_id)`,
  `CREATE INDEX catalog_cloud ON mcdisk.catalog (cloud_id) WHERE state = 'ACTIVE'`,
  `CREATE INDEX catalog_deleted ON mcdisk.catalog (updated_at) WHERE state = 'DELETED'`,
  `CREATE INDEX catalog_creator ON mcdisk.catalog (created_by)`,
  `CREATE TABLE mcdisk.content (
    content_id uuid NOT NULL,
    cloud_id text NOT NULL,
    parent_catalog_id uuid,
    cid text,
    blob_key uuid,
    name text NOT NULL,
    size bigint NOT NULL,
    digest text NOT NULL,
    type smallint NOT NULL,
    media_type text NOT NULL,
    uploader text NOT NULL,
    state text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    recycled_at bigint,
    purge_at bigint,
    shot_at bigint,
    PRIMARY KEY (content_id),
    CONSTRAINT content_size_check CHECK (size >= 0),
    CONSTRAINT content_state_check CHECK (state IN ('ACTIVE', 'RECYCLED', 'PURGED')),
    CONSTRAINT content_has_bytes_check CHECK (blob_key IS NOT NULL OR state = 'PURGED'),
    CONSTRAINT content_cloud_fkey FOREIGN KEY (cloud_id) REFERENCES mcdisk.family_cloud,
    CONSTRAINT content_catalog_fkey FOREIGN KEY (parent_catalog_id) REFERENCES mcdisk.catalog,
    CONSTRAINT content_blob_fkey FOREIGN KEY (cloud_id, blob_key) REFERENCES mcdisk.blob(cloud_id, blob_key)
  )`,
  `CREATE INDEX content_purge ON mcdisk.content (purge_at) WHERE state = 'RECYCLED'`,
  `CREATE INDEX content_recycled ON mcdisk.content (cloud_id, recycled_at DESC, content_id) WHERE state = 'RECYCLED'`,
  // With `cid` in the index, an index-only scan can also count the contents for members who see only some children.
  `CREATE INDEX content_listed ON mcdisk.content (cloud_id, parent_catalog_id, updated_at DESC, content_id)
    INCLUDE (cid) WHERE state = 'ACTIVE'`,
  // Supports batch tasks, which process the contents of a folder in id order and continue after the last one.
  `CREATE INDEX content_catalog ON mcdisk.content (parent_catalog_id, content_id) WHERE parent_catalog_id IS NOT NULL`,
  // Contains only active contents, so that moving hundreds of contents to the recycle bin adds no entries.
  `CREATE INDEX content_child ON mcdisk.content (cloud_id, cid, content_id)
    WHERE cid IS NOT NULL AND state = 'ACTIVE'`,
  // Each changed content is written to every index of the table. Blob keys are random, so in an index by blob key
  // alone 200 contents are on 200 pages. In an index by cloud and blob key they are on few pages. Purged contents have
  // no blob key and need no entry.
  `CREATE INDEX content_copies ON mcdisk.content (cloud_id, blob_key, content_id) WHERE blob_key IS NOT NULL`,
  `CREATE TABLE mcdisk.bin_emptying (
    cloud_id text NOT NULL,
    requested_by text NOT NULL,
    recycled_until bigint NOT NULL,
    recycled_from bigint NOT NULL DEFAULT 0,
    next_at bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (cloud_id),
    CONSTRAINT bin_emptying_cloud_fkey FOREIGN KEY (cloud_id) REFERENCES mcdisk.family_cloud
  )`,

  // Uploads
  `CREATE TABLE mcdisk.upload (
    content_id uuid NOT NULL,
    task_id uuid NOT NULL,
    cloud_id text NOT NULL,
    principal text NOT NULL,
    session_id text NOT NULL,
    parent_catalog_id uuid,
    token_hash bytea NOT NULL,
    name text NOT NULL,
    size bigint NOT NULL,
    digest text,
    state text NOT NULL,
    blob_key uuid,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    completed_at bigint,
    received_size bigint NOT NULL DEFAULT 0,
    lock_holder uuid,
    lock_until bigint,
    lock_wanted boolean NOT NULL DEFAULT false,
    PRIMARY KEY (content_id),
    CONSTRAINT upload_token_key UNIQUE (token_hash),
    CONSTRAINT upload_size_check CHECK (size >= 0),
    CONSTRAINT upload_state_check
      CHECK (state IN ('PENDING', 'RECEIVING', 'COMPLETE', 'REFUSED', 'ABORTED', 'EXPIRED')),
    CONSTRAINT upload_received_check CHECK (received_size >= 0 AND received_size <= size),
    CONSTRAINT upload_cloud_fkey FOREIGN KEY (cloud_id) REFERENCES mcdisk.family_cloud,
    CONSTRAINT upload_blob_fkey FOREIGN KEY (blob_key) REFERENCES mcdisk.blob,
    CONSTRAINT upload_catalog_fkey FOREIGN KEY (parent_catalog_id) REFERENCES mcdisk.catalog
  )`,
  `CREATE INDEX upload_task ON mcdisk.upload (task_id)`,
  `CREATE INDEX upload_blob ON mcdisk.upload (blob_key)`,
  `CREATE INDEX upload_open ON mcdisk.upload (expires_at) WHERE state IN ('PENDING', 'RECEIVING')`,
  `CREATE INDEX upload_created ON mcdisk.upload (created_at)`,
  `CREATE INDEX upload_catalog ON mcdisk.upload (parent_catalog_id) WHERE parent_catalog_id IS NOT NULL`,
  `CREATE INDEX upload_principal ON mcdisk.upload (principal)`,

  // Renditions
  `CREATE TABLE mcdisk.rendition (
    source_key uuid NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    blob_key uuid,
    media_type text,
    size bigint,
    digest text,
    width integer,
    height integer,
    shot_at bigint,
    attempts smallint NOT NULL DEFAULT 0,
    due_at bigint NOT NULL,
    lease_holder uuid,
    cloud_id text NOT NULL,
    PRIMARY KEY (source_key, kind),
    CONSTRAINT rendition_kind_check CHECK (kind IN ('THUMBNAIL', 'SHARED')),
    CONSTRAINT rendition_state_check CHECK (state IN ('WAITING', 'READY', 'NONE', 'FAILED')),
    CONSTRAINT rendition_complete_check
      CHECK (state <> 'READY'
        OR (blob_key IS NOT NULL AND media_type IS NOT NULL AND size IS NOT NULL AND digest IS NOT NULL)),
    CONSTRAINT rendition_without_bytes_check CHECK (state IN ('WAITING', 'READY') OR blob_key IS NULL),
    CONSTRAINT rendition_source_fkey FOREIGN KEY (source_key) REFERENCES mcdisk.blob,
    CONSTRAINT rendition_blob_fkey FOREIGN KEY (blob_key) REFERENCES mcdisk.blob
  )`,
  `CREATE INDEX rendition_due ON mcdisk.rendition (due_at) WHERE state = 'WAITING'`,
  `CREATE UNIQUE INDEX rendition_blob ON mcdisk.rendition (blob_key) WHERE blob_key IS NOT NULL`,
  `CREATE INDEX rendition_turn ON mcdisk.rendition (cloud_id, due_at) WHERE state = 'WAITING'`,
  // Contains the renditions that a caller waits for.
  `CREATE INDEX rendition_turn_at_once ON mcdisk.rendition (cloud_id) WHERE state = 'WAITING' AND due_at = 0`,
  `CREATE INDEX rendition_cloud ON mcdisk.rendition (cloud_id)`,

  // Albums
  `CREATE TABLE mcdisk.album (
    photo_id uuid NOT NULL,
    cloud_id text NOT NULL,
    cid text,
    name text NOT NULL,
    cover_content_id uuid,
    created_by text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (photo_id),
    CONSTRAINT album_cloud_fkey FOREIGN KEY (cloud_id) REFERENCES mcdisk.family_cloud ON DELETE CASCADE,
    CONSTRAINT album_cover_fkey FOREIGN KEY (cover_content_id) REFERENCES mcdisk.content ON DELETE SET NULL
  )`,
  `CREATE INDEX album_listed ON mcdisk.album (cloud_id, updated_at DESC, photo_id)`,
  `CREATE INDEX album_cover ON mcdisk.album (cover_content_id) WHERE cover_content_id IS NOT NULL`,
  `CREATE INDEX album_creator ON mcdisk.album (created_by)`,
  // `cid` and `taken_at` are copies of the columns of a content that lists of albums need.
  `CREATE TABLE mcdisk.album_content (
    photo_id uuid NOT NULL,
    content_id uuid NOT NULL,
    cloud_id text NOT NULL,
    added_at bigint NOT NULL,
    cid text,
    taken_at bigint NOT NULL,
    PRIMARY KEY (photo_id, content_id),
    CONSTRAINT album_content_album_fkey FOREIGN KEY (photo_id) REFERENCES mcdisk.album ON DELETE CASCADE,
    CONSTRAINT album_content_content_fkey FOREIGN KEY (content_id) REFERENCES mcdisk.content ON DELETE CASCADE
  )`,
  // Supports the removal of purged contents from all albums.
  `CREATE INDEX album_content_content ON mcdisk.album_content (content_id)`,
  `CREATE INDEX album_content_taken ON mcdisk.album_content (photo_id, taken_at DESC, content_id) INCLUDE (cid)`,
  `CREATE TABLE mcdisk.album_count (
    photo_id uuid NOT NULL,
    cid text,
    placed integer NOT NULL,
    CONSTRAINT album_count_key UNIQUE NULLS NOT DISTINCT (photo_id, cid),
    CONSTRAINT album_count_album_fkey FOREIGN KEY (photo_id) REFERENCES mcdisk.album ON DELETE CASCADE
  )`,
  // Deletions and restorations of contents change neither `cid` nor `shot_at`, so the trigger does not run for them.
  `CREATE FUNCTION mcdisk.copy_content_to_albums() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE mcdisk.album_content SET cid = NEW.cid, taken_at = coalesce(NEW.shot_at, NEW.created_at)
      WHERE content_id = NEW.content_id;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER copy_content_to_albums AFTER UPDATE OF cid, shot_at ON mcdisk.content FOR EACH ROW
     WHEN (NEW.state <> 'PURGED' AND (OLD.cid IS DISTINCT FROM NEW.cid OR OLD.shot_at IS DISTINCT FROM NEW.shot_at))
     EXECUTE FUNCTION mcdisk.copy_content_to_albums()`,
  ...counter('INSERT', 'NEW TABLE AS added', ADDED),
  ...counter('UPDATE', 'OLD TABLE AS removed NEW TABLE AS added', `${ADDED} UNION ALL ${REMOVED}`),
  ...counter('DELETE', 'OLD TABLE AS removed', REMOVED),

  // Batch tasks
  `CREATE TABLE mcdisk.batch_task (
    task_id uuid NOT NULL,
    cloud_id text NOT NULL,
    task_type smallint NOT NULL,
    state text NOT NULL,
    principal text NOT NULL,
    content_ids uuid[] NOT NULL,
    catalog_ids uuid[] NOT NULL,
    dest_catalog_id uuid,
    phase smallint,
    position integer NOT NULL,
    last_content_id uuid,
    stopped boolean NOT NULL,
    total integer NOT NULL,
    done integer NOT NULL,
    failed integer NOT NULL,
    failure_ids json NOT NULL,
    attempts smallint NOT NULL,
    turn_at bigint NOT NULL,
    told_at bigint,
    created_at bigint NOT NULL,
    finished_at bigint,
    PRIMARY KEY (task_id),
    CONSTRAINT batch_task_state_check CHECK (state IN ('WAITING', 'RUNNING', 'DONE', 'CANCELLED')),
    CONSTRAINT batch_task_finished_check CHECK ((finished_at IS NOT NULL) = (state IN ('DONE', 'CANCELLED'))),
    CONSTRAINT batch_task_cloud_fkey FOREIGN KEY (cloud_id) REFERENCES mcdisk.family_cloud ON DELETE CASCADE
  )`,
  `CREATE INDEX batch_task_turn ON mcdisk.batch_task (turn_at) WHERE finished_at IS NULL`,
  `CREATE INDEX batch_task_open ON mcdisk.batch_task (cloud_id) WHERE finished_at IS NULL`,
  `CREATE INDEX batch_task_over ON mcdisk.batch_task (finished_at) WHERE finished_at IS NOT NULL`,
  `CREATE INDEX batch_task_principal ON mcdisk.batch_task (principal)`,
  `CREATE TABLE mcdisk.batch_task_folder (
    task_id uuid NOT NULL,
    position integer NOT NULL,
    catalog_id uuid NOT NULL,
    parent_position integer,
    target_id uuid,
    PRIMARY KEY (task_id, position),
    CONSTRAINT batch_task_folder_task_fkey FOREIGN KEY (task_id) REFERENCES mcdisk.batch_task ON DELETE CASCADE
  )`,

  // Sharing
  `CREATE TABLE mcdisk.share (
    authorization_id uuid NOT NULL,
    cloud_id text NOT NULL,
    grantee text NOT NULL,
    created_by text NOT NULL,
    catalog_id uuid,
    photo_id uuid,
    created_at bigint NOT NULL,
    expires_at bigint,
    PRIMARY KEY (authorization_id),
    CONSTRAINT share_subject_check CHECK (catalog_id IS NULL OR photo_id IS NULL),
    CONSTRAINT share_cloud_fkey FOREIGN KEY (cloud_id) REFERENCES mcdisk.family_cloud ON DELETE CASCADE,
    CONSTRAINT share_catalog_fkey FOREIGN KEY (catalog_id) REFERENCES mcdisk.catalog ON DELETE CASCADE,
    CONSTRAINT share_album_fkey FOREIGN KEY (photo_id) REFERENCES mcdisk.album ON DELETE CASCADE
  )`,
  `CREATE INDEX share_listed ON mcdisk.share (cloud_id, created_at DESC, authorization_id)`,
  `CREATE INDEX share_grantee ON mcdisk.share (grantee, cloud_id)`,
  `CREATE INDEX share_maker ON mcdisk.share (created_by)`,
  `CREATE INDEX share_expiry ON mcdisk.share (expires_at) WHERE expires_at IS NOT NULL`,
  `CREATE INDEX share_catalog ON mcdisk.share (catalog_id) WHERE catalog_id IS NOT NULL`,
  `CREATE INDEX share_photo ON mcdisk.share (photo_id) WHERE photo_id IS NOT NULL`,
  `CREATE TABLE mcdisk.share_content (
    authorization_id uuid NOT NULL,
    content_id uuid NOT NULL,
    PRIMARY KEY (authorization_id, content_id),
    CONSTRAINT share_content_share_fkey FOREIGN KEY (authorization_id) REFERENCES mcdisk.share ON DELETE CASCADE,
    CONSTRAINT share_content_content_fkey FOREIGN KEY (content_id) REFERENCES mcdisk.content ON DELETE CASCADE
  )`,
  // Supports the removal of purged contents from all shares.
  `CREATE INDEX share_content_content ON mcdisk.share_content (content_id)`,
  `CREATE TABLE mcdisk.friendship (
    friendship_id text NOT NULL,
    version bigint NOT NULL,
    one_cid text NOT NULL,
    other_cid text NOT NULL,
    active boolean NOT NULL,
    ended_at bigint,
    PRIMARY KEY (friendship_id),
    CONSTRAINT friendship_pair_check CHECK (one_cid < other_cid)
  )`,
  `CREATE INDEX friendship_of_pair ON mcdisk.friendship (one_cid, other_cid)`,
  `CREATE INDEX friendship_of_other ON mcdisk.friendship (other_cid)`,
  // A content may be sent repeatedly, in messages that expire at different times.
  `CREATE TABLE mcdisk.media_grant (
    content_id uuid NOT NULL,
    message_id text NOT NULL,
    cloud_id text NOT NULL,
    from_cid text NOT NULL,
    to_cid text NOT NULL,
    to_family_id text NOT NULL,
    granted_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (content_id, message_id, to_cid)
  )`,
  `CREATE INDEX media_grant_message ON mcdisk.media_grant (message_id)`,
  `CREATE INDEX media_grant_expiry ON mcdisk.media_grant (expires_at)`,
  `CREATE INDEX media_grant_from ON mcdisk.media_grant (from_cid)`,
  `CREATE INDEX media_grant_to ON mcdisk.media_grant (to_cid)`,
  `CREATE INDEX media_grant_cloud ON mcdisk.media_grant (cloud_id)`,

  // Cleanup
  `CREATE TABLE mcdisk.ending (
    kind text NOT NULL,
    subject text NOT NULL,
    cloud_id text,
    state text NOT NULL,
    due_at bigint NOT NULL,
    cursor uuid,
    PRIMARY KEY (kind, subject),
    CONSTRAINT ending_kind_check CHECK (kind IN ('FAMILY', 'CHILD', 'ACCOUNT')),
    CONSTRAINT ending_state_check CHECK (state IN ('WAITING', 'WATCHED', 'FORGETTING'))
  )`,
  `CREATE INDEX ending_due ON mcdisk.ending (due_at)`,

  // Firmware and exports
  `CREATE TABLE mcdisk.firmware_image (
    image_id uuid NOT NULL,
    blob_key uuid,
    stored_at bigint NOT NULL,
    PRIMARY KEY (image_id),
    CONSTRAINT firmware_image_blob_key UNIQUE (blob_key),
    CONSTRAINT firmware_image_blob_fkey FOREIGN KEY (blob_key) REFERENCES mcdisk.blob
  )`,
  `CREATE TABLE mcdisk.export_archive (
    export_id uuid NOT NULL,
    user_id uuid NOT NULL,
    due_at bigint NOT NULL,
    attempts smallint NOT NULL DEFAULT 0,
    staged_key uuid,
    blob_key uuid,
    completed_at bigint,
    requested_at bigint,
    expected_size bigint,
    PRIMARY KEY (export_id),
    CONSTRAINT export_archive_blob_key UNIQUE (blob_key),
    CONSTRAINT export_archive_complete_check CHECK ((blob_key IS NULL) = (completed_at IS NULL)),
    CONSTRAINT export_archive_blob_fkey FOREIGN KEY (blob_key) REFERENCES mcdisk.blob
  )`,
  `CREATE INDEX export_archive_due ON mcdisk.export_archive (due_at) WHERE blob_key IS NULL`,
  `CREATE INDEX export_archive_user ON mcdisk.export_archive (user_id)`,
];
