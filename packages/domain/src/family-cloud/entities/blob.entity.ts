import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { BlobState } from '../contracts/blob.js';

/**
 * Stored bytes. The key is random instead of a hash of the bytes, so that a late deletion cannot affect a new upload of
 * the same bytes.
 */
@Entity({ schema: 'mcdisk', name: 'blob' })
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
}
