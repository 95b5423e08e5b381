import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { FamilyCloudEntity } from './family-cloud.entity.js';

/** A recycle bin that is being emptied; the row is deleted when the recycle bin is empty. Times in Unix milliseconds. */
@Entity({ schema: 'mcdisk', name: 'bin_emptying' })
@ForeignKey(() => FamilyCloudEntity, ['cloudId'], ['cloudId'], { name: 'bin_emptying_cloud_fkey' })
export class RecycleBinEmptyingEntity {
  @PrimaryColumn({ name: 'cloud_id', type: 'text', primaryKeyConstraintName: 'bin_emptying_pkey' })
  cloudId: string;

  @Column({ name: 'requested_by', type: 'text' })
  requestedBy: PrincipalKey;

  /** Time up to which deleted files are purged. */
  @Column({ name: 'recycled_until', type: 'bigint' })
  recycledUntil: number;

  /** Time before which all deleted files are already purged, except files that another transaction had locked. */
  @Column({ name: 'recycled_from', type: 'bigint', default: 0 })
  recycledFrom: number;

  /** Earliest time of the next part; 0 means as soon as possible. */
  @Column({ name: 'next_at', type: 'bigint', default: 0 })
  nextAt: number;
}
