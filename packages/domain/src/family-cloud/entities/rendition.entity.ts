import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RenditionKind, RenditionState } from '../contracts/rendition.js';

/** A finished or requested rendition of a blob. Files with the same blob share the renditions of the blob. */
@Entity({ schema: 'mcdisk', name: 'rendition' })
export class RenditionEntity {
  /** The source blob. */
  @PrimaryColumn({ name: 'source_key', type: 'uuid', primaryKeyConstraintName: 'rendition_pkey' })
  sourceKey: string;

  @PrimaryColumn({ name: 'kind', type: 'text', primaryKeyConstraintName: 'rendition_pkey' })
  kind: RenditionKind;

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

  @Column({ name: 'attempts', type: 'smallint' })
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
