import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A family's cloud and its quota. `usedSize` counts active contents, `recycleSize` those in the recycle bin. */
@Entity({ schema: 'mcdisk', name: 'family_cloud' })
export class FamilyCloudEntity {
  /** The family's id. */
  @PrimaryColumn({ name: 'cloud_id', type: 'text', primaryKeyConstraintName: 'family_cloud_pkey' })
  cloudId: string;

  /** Bytes, as the three below. */
  @Column({ name: 'disk_size', type: 'bigint' })
  diskSize: number;

  @Column({ name: 'used_size', type: 'bigint', default: 0 })
  usedSize: number;

  /** Announced by uploads under way. */
  @Column({ name: 'reserved_size', type: 'bigint', default: 0 })
  reservedSize: number;

  @Column({ name: 'recycle_size', type: 'bigint', default: 0 })
  recycleSize: number;

  /** Contents that are not gone for good, and announced ones. */
  @Column({ name: 'content_count', type: 'integer', default: 0 })
  contentCount: number;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** Unix milliseconds; the last change of its contents or members. */
  @Column({ name: 'updated_at', type: 'bigint' })
  updatedAt: number;
}
