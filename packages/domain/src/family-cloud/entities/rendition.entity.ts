import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RenditionKind, RenditionState } from '../contracts/rendition.js';

/** What was or is to be made of a blob. It hangs on the bytes and not on a content, so equal files share it. */
@Entity({ schema: 'mcdisk', name: 'rendition' })
export class RenditionEntity {
  /** The blob it is made of. */
  @PrimaryColumn({ name: 'source_key', type: 'uuid', primaryKeyConstraintName: 'rendition_pkey' })
  sourceKey: string;

  @PrimaryColumn({ name: 'kind', type: 'text', primaryKeyConstraintName: 'rendition_pkey' })
  kind: RenditionKind;

  @Column({ name: 'state', type: 'text' })
  state: RenditionState;

  /** The derived blob: LIVE once READY, STAGED while somebody makes it, otherwise `null`. */
  @Column({ name: 'blob_key', type: 'uuid', nullable: true })
  blobKey: string | null;

  /** Media type told from the bytes: of the derived ones, or of the source where nothing is made. */
  @Column({ name: 'media_type', type: 'text', nullable: true })
  mediaType: string | null;

  /** Bytes of the derived blob. */
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

  /** When the source was taken, as it says itself, Unix milliseconds; known with its thumbnail. */
  @Column({ name: 'shot_at', type: 'bigint', nullable: true })
  capturedAt: number | null;

  @Column({ name: 'attempts', type: 'smallint' })
  attempts: number;

  /** Unix milliseconds: not before; while somebody makes it, the end of their lease. 0: somebody waits for it. */
  @Column({ name: 'due_at', type: 'bigint' })
  dueAt: number;

  /** Who makes it at the moment, by a random id of that attempt; `null`: nobody. */
  @Column({ name: 'lease_holder', type: 'uuid', nullable: true })
  leaseHolder: string | null;
}
