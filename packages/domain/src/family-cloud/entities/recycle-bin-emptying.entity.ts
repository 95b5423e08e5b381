import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { FamilyCloudEntity } from './family-cloud.entity.js';

/** TODO */
@Entity({ name: 'bin_emptying', schema: 'mcdisk' })
@ForeignKey(() => FamilyCloudEntity, ['cloudId'], ['cloudId'], { name: 'bin_emptying_cloud_fkey' })
export class RecycleBinEmptyingEntity {
  @PrimaryColumn({ name: 'cloud_id', type: 'text', primaryKeyConstraintName: 'bin_emptying_pkey' })
  cloudId: string;

  @Column({ name: 'requested_by', type: 'text' })
  requestedBy: string;

  @Column({ name: 'recycled_until', type: 'bigint' })
  recycledUntil: number;

  @Column({ name: 'recycled_from', type: 'bigint', default: 0 })
  recycledFrom: number;

  @Column({ name: 'next_at', type: 'bigint', default: 0 })
  nextAt: number;
}
