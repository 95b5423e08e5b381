import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { BlobState } from '../contracts/blob.js';

/** Stored bytes. The key is random and not the hash, so that a late deletion cannot affect a new upload. */
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

  /** Bytes; `null` until all have arrived. */
  @Column({ name: 'size', type: 'bigint', nullable: true })
  size: number | null;

  /** SHA-256, lower-case hex; `null` until all bytes have arrived. */
  @Column({ name: 'digest', type: 'text', nullable: true })
  digest: string | null;
}
