import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { BlobState } from '../contracts/blob.js';
import { FamilyCloudEntity } from './family-cloud.entity.js';

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
