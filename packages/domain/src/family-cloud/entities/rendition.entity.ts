import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { RenditionKind, RenditionState } from '../contracts/rendition.js';
import { BlobEntity } from './blob.entity.js';

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
