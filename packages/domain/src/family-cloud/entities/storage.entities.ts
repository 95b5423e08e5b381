import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { BlobState, RenditionKind, RenditionState } from '../contracts/blob.js';
import { FamilyCloudEntity } from './family-cloud.entities.js';

/**
 * Stored bytes. The key is random instead of a hash of the bytes, so that a late deletion cannot affect a new upload of
 * the same bytes.
 */
@Entity({ schema: 'mcdisk', name: 'blob' })
@ForeignKey(() => FamilyCloudEntity, ['cloudId'], ['cloudId'], { name: 'blob_cloud_fkey' })
@Unique('blob_of_cloud', ['cloudId', 'blobKey'])
@Check('blob_state', `state IN ('STAGED', 'LIVE', 'CONDEMNED', 'DELETING', 'GONE')`)
@Index('blob_equal', ['cloudId', 'digest', 'size'], { where: `state IN ('LIVE', 'CONDEMNED')` })
@Index('blob_gone', ['stateSince'], { where: `state = 'GONE'` })
@Index('blob_unsettled', ['state', 'stateSince'], { where: `state NOT IN ('LIVE', 'GONE')` })
export class BlobEntity {
  @PrimaryColumn({ name: 'blob_key', type: 'uuid', primaryKeyConstraintName: 'blob_pkey' })
  blobKey: string;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  @Column({ name: 'state', type: 'text' })
  state: BlobState;

  /** Unix milliseconds of the last change of state. */
  @Column({ name: 'state_since', type: 'bigint' })
  stateSince: number;

  /** Size in bytes; `null` until all bytes have arrived. */
  @Column({ name: 'size', type: 'bigint', nullable: true })
  size: number | null;

  /** SHA-256, lower-case hex; `null` until all bytes have arrived. */
  @Column({ name: 'digest', type: 'text', nullable: true })
  digest: string | null;

  /** Number of retries of the deletion; at most the number that gives the longest delay. */
  @Column({ name: 'removals', type: 'smallint', default: 0 })
  deletionRetries: number;

  /** Unix milliseconds before which the deletion is not retried; `null` until the first retry. */
  @Column({ name: 'removal_after', type: 'bigint', nullable: true })
  deletionRetryAt: number | null;
}

/** A finished or requested rendition of a blob. Files with the same blob share the renditions of the blob. */
@Entity({ schema: 'mcdisk', name: 'rendition' })
@ForeignKey(() => BlobEntity, ['sourceKey'], ['blobKey'], { name: 'rendition_source_fkey' })
@ForeignKey(() => BlobEntity, ['blobKey'], ['blobKey'], { name: 'rendition_blob_fkey' })
@Check('rendition_kind', `kind IN ('THUMBNAIL', 'SHARED')`)
@Check('rendition_state', `state IN ('WAITING', 'READY', 'NONE', 'FAILED')`)
@Check(
  'rendition_complete',
  `state <> 'READY' OR (blob_key IS NOT NULL AND media_type IS NOT NULL AND size IS NOT NULL AND digest IS NOT NULL)`,
)
@Check('rendition_without_bytes', `state IN ('WAITING', 'READY') OR blob_key IS NULL`)
@Index('rendition_due', ['dueAt'], { where: `state = 'WAITING'` })
@Index('rendition_turn', ['cloudId', 'dueAt'], { where: `state = 'WAITING'` })
@Index('rendition_turn_at_once', ['cloudId'], { where: `state = 'WAITING' AND due_at = 0` })
@Index('rendition_blob', ['blobKey'], { unique: true, where: 'blob_key IS NOT NULL' })
export class RenditionEntity {
  /** The source blob. */
  @PrimaryColumn({ name: 'source_key', type: 'uuid', primaryKeyConstraintName: 'rendition_pkey' })
  sourceKey: string;

  @PrimaryColumn({ name: 'kind', type: 'text', primaryKeyConstraintName: 'rendition_pkey' })
  kind: RenditionKind;

  /** The cloud of the source. */
  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  @Column({ name: 'state', type: 'text' })
  state: RenditionState;

  /** The derived blob: LIVE once the rendition is READY, STAGED while it is being created, otherwise `null`. */
  @Column({ name: 'blob_key', type: 'uuid', nullable: true })
  blobKey: string | null;

  /** Media type detected from the bytes of the derived blob, or of the source if there is no derived blob. */
  @Column({ name: 'media_type', type: 'text', nullable: true })
  mediaType: string | null;

  /** Size of the derived blob, in bytes. */
  @Column({ name: 'size', type: 'bigint', nullable: true })
  size: number | null;

  /** SHA-256 of the derived blob, lower-case hex. */
  @Column({ name: 'digest', type: 'text', nullable: true })
  digest: string | null;

  /** Pixels. */
  @Column({ name: 'width', type: 'integer', nullable: true })
  width: number | null;

  /** Pixels. */
  @Column({ name: 'height', type: 'integer', nullable: true })
  height: number | null;

  /** Capture time from the source's metadata, Unix milliseconds; set together with the thumbnail. */
  @Column({ name: 'shot_at', type: 'bigint', nullable: true })
  capturedAt: number | null;

  /** Number of attempts, including the running one. */
  @Column({ name: 'attempts', type: 'smallint', default: 0 })
  attempts: number;

  /**
   * Unix milliseconds. Earliest start, or the expiry of the lease while the rendition is being created. The value 0
   * means as soon as possible, because a client waits.
   */
  @Column({ name: 'due_at', type: 'bigint' })
  dueAt: number;

  /** Random id of the attempt that is creating the rendition; `null` if no attempt is running. */
  @Column({ name: 'lease_holder', type: 'uuid', nullable: true })
  leaseHolder: string | null;
}

/** The only row identifies the blob store that belongs to this database. A copy of the identity is in the store. */
@Entity({ schema: 'mcdisk', name: 'store_mark' })
@Check('store_mark_single', 'id = 1')
export class StoreIdentityEntity {
  @PrimaryColumn({ name: 'id', type: 'smallint', default: 1, primaryKeyConstraintName: 'store_mark_pkey' })
  id: 1;

  @Column({ name: 'store_id', type: 'uuid' })
  storeId: string;

  /** Increases with each update; a database that was restored from a backup has a lower generation than the store. */
  @Column({ name: 'generation', type: 'bigint' })
  generation: number;

  /** Unix milliseconds of the last update. */
  @Column({ name: 'marked_at', type: 'bigint' })
  updatedAt: number;
}

/** A key that signs URLs, shared by all replicas. */
@Entity({ schema: 'mcdisk', name: 'link_key' })
@Check('link_key_number', 'key_id > 0')
export class UrlSigningKeyEntity {
  /** Increases with each new key. */
  @PrimaryColumn({ name: 'key_id', type: 'integer', primaryKeyConstraintName: 'link_key_pkey' })
  keyId: number;

  /** Random bytes, which are combined with SECRET_KEY if it is set. */
  @Column({ name: 'secret', type: 'bytea' })
  secret: Buffer;

  /** Unix milliseconds at which the key replaces the key before it for new URLs. */
  @Column({ name: 'signs_from', type: 'bigint' })
  signsFrom: number;
}
