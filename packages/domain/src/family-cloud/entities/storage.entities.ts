import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { BlobState, RenditionKind, RenditionState } from '../contracts/blob.js';
import { FamilyCloudEntity } from './family-cloud.entities.js';

/**
 * A blob: the stored bytes of files. The key is random and not a hash of the bytes, so that the late deletion of a blob
 * cannot affect a new upload of the same bytes.
 */
@Entity({ schema: 'mcdisk', name: 'blob' })
@ForeignKey(() => FamilyCloudEntity, ['cloudId'], ['cloudId'], { name: 'blob_cloud_fkey' })
@Unique('blob_of_cloud_key', ['cloudId', 'blobKey'])
@Check('blob_state_check', `state IN ('STAGED', 'LIVE', 'CONDEMNED', 'DELETING', 'GONE')`)
@Index('blob_equal', ['cloudId', 'digest', 'size'], { where: `state IN ('LIVE', 'CONDEMNED')` })
@Index('blob_gone', ['stateSince'], { where: `state = 'GONE'` })
@Index('blob_unsettled', ['state', 'stateSince'], { where: `state NOT IN ('LIVE', 'GONE')` })
export class BlobEntity {
  @PrimaryColumn({ name: 'blob_key', type: 'uuid', primaryKeyConstraintName: 'blob_pkey' })
  blobKey: string;

  /** Null for the blob of a firmware image, which belongs to no cloud. */
  @Column({ name: 'cloud_id', type: 'text', nullable: true })
  cloudId: string | null;

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

  /** Number of retries of the deletion. The number is not increased further once the retry delay has its maximum. */
  @Column({ name: 'removals', type: 'smallint', default: 0 })
  deletionRetries: number;

  /** Unix milliseconds before which the deletion is not retried; `null` until the first retry. */
  @Column({ name: 'removal_after', type: 'bigint', nullable: true })
  deletionRetryAt: number | null;
}

/** A created or requested rendition of a blob. Files with the same blob share its renditions. */
@Entity({ schema: 'mcdisk', name: 'rendition' })
@ForeignKey(() => BlobEntity, ['sourceKey'], ['blobKey'], { name: 'rendition_source_fkey' })
@ForeignKey(() => BlobEntity, ['blobKey'], ['blobKey'], { name: 'rendition_blob_fkey' })
@Check('rendition_kind_check', `kind IN ('THUMBNAIL', 'SHARED')`)
@Check('rendition_state_check', `state IN ('WAITING', 'READY', 'NONE', 'FAILED')`)
@Check(
  'rendition_complete_check',
  `state <> 'READY' OR (blob_key IS NOT NULL AND media_type IS NOT NULL AND size IS NOT NULL AND digest IS NOT NULL)`,
)
@Check('rendition_without_bytes_check', `state IN ('WAITING', 'READY') OR blob_key IS NULL`)
@Index('rendition_cloud', ['cloudId'])
@Index('rendition_due', ['dueAt'], { where: `state = 'WAITING'` })
@Index('rendition_turn', ['cloudId', 'dueAt'], { where: `state = 'WAITING'` })
@Index('rendition_turn_at_once', ['cloudId'], { where: `state = 'WAITING' AND due_at = 0` })
@Index('rendition_blob', ['blobKey'], { unique: true, where: 'blob_key IS NOT NULL' })
export class RenditionEntity {
  /** Key of the blob from which the rendition is derived (the source). */
  @PrimaryColumn({ name: 'source_key', type: 'uuid', primaryKeyConstraintName: 'rendition_pkey' })
  sourceKey: string;

  @PrimaryColumn({ name: 'kind', type: 'text', primaryKeyConstraintName: 'rendition_pkey' })
  kind: RenditionKind;

  /** The cloud of the source. */
  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  @Column({ name: 'state', type: 'text' })
  state: RenditionState;

  /**
   * Key of the blob with the rendition's bytes (the derived blob). The blob is STAGED while the rendition is being
   * created and LIVE when the rendition is READY. Otherwise `null`.
   */
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

  /** Width of the rendition in pixels. */
  @Column({ name: 'width', type: 'integer', nullable: true })
  width: number | null;

  /** Height of the rendition in pixels. */
  @Column({ name: 'height', type: 'integer', nullable: true })
  height: number | null;

  /** Capture time from the source's metadata, Unix milliseconds; set together with the thumbnail. */
  @Column({ name: 'shot_at', type: 'bigint', nullable: true })
  capturedAt: number | null;

  /** Number of attempts to create the rendition, including a running attempt. */
  @Column({ name: 'attempts', type: 'smallint', default: 0 })
  attempts: number;

  /**
   * Earliest start of the next attempt, in Unix milliseconds; while an attempt is running, the expiry of its lease. The
   * value 0 means as soon as possible, because a client is waiting for the rendition.
   */
  @Column({ name: 'due_at', type: 'bigint' })
  dueAt: number;

  /** Random id of the attempt that is creating the rendition; `null` if no attempt is running. */
  @Column({ name: 'lease_holder', type: 'uuid', nullable: true })
  leaseHolder: string | null;
}

/** A firmware image of userctx whose bytes have arrived or that was withdrawn. */
@Entity({ schema: 'mcdisk', name: 'firmware_image' })
@ForeignKey(() => BlobEntity, ['blobKey'], ['blobKey'], { name: 'firmware_image_blob_fkey' })
@Unique('firmware_image_blob_key', ['blobKey'])
export class StoredFirmwareImageEntity {
  @PrimaryColumn({ name: 'image_id', type: 'uuid', primaryKeyConstraintName: 'firmware_image_pkey' })
  imageId: string;

  /** Null after the image was withdrawn: bytes that arrive later are not stored. */
  @Column({ name: 'blob_key', type: 'uuid', nullable: true })
  blobKey: string | null;

  /** Unix milliseconds. */
  @Column({ name: 'stored_at', type: 'bigint' })
  storedAt: number;
}

/** Identifies the blob store that belongs to this database; the store contains a copy. The table has one row. */
@Entity({ schema: 'mcdisk', name: 'store_mark' })
@Check('store_mark_single_check', 'id = 1')
export class StoreIdentityEntity {
  @PrimaryColumn({ name: 'id', type: 'smallint', default: 1, primaryKeyConstraintName: 'store_mark_pkey' })
  id: 1;

  @Column({ name: 'store_id', type: 'uuid' })
  storeId: string;

  /** Increases with each update. It is lower than in the store if the database was restored from a backup. */
  @Column({ name: 'generation', type: 'bigint' })
  generation: number;

  /** Unix milliseconds of the last update. */
  @Column({ name: 'marked_at', type: 'bigint' })
  updatedAt: number;
}

/** A key that signs URLs, shared by all replicas. */
@Entity({ schema: 'mcdisk', name: 'link_key' })
@Check('link_key_number_check', 'key_id > 0')
export class UrlSigningKeyEntity {
  /** Number of the key; each new key has a higher number. */
  @PrimaryColumn({ name: 'key_id', type: 'integer', primaryKeyConstraintName: 'link_key_pkey' })
  keyId: number;

  /** Random bytes, which are combined with SECRET_KEY if it is set. */
  @Column({ name: 'secret', type: 'bytea' })
  secret: Buffer;

  /** From this time (Unix milliseconds), new URLs are signed with this key instead of the key before it. */
  @Column({ name: 'signs_from', type: 'bigint' })
  signsFrom: number;
}
