import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** A family cloud and its quota. `usedSize` counts active files, `recycleSize` files in the recycle bin. */
@Entity({ schema: 'mcdisk', name: 'family_cloud' })
@Check('family_cloud_sizes', 'used_size >= 0 AND reserved_size >= 0 AND recycle_size >= 0')
@Check('family_cloud_content_count', 'content_count >= 0')
export class FamilyCloudEntity {
  /** The family's id. */
  @PrimaryColumn({ name: 'cloud_id', type: 'text', primaryKeyConstraintName: 'family_cloud_pkey' })
  cloudId: string;

  /** Quota in bytes; all sizes of this entity are in bytes. */
  @Column({ name: 'disk_size', type: 'bigint' })
  diskSize: number;

  @Column({ name: 'used_size', type: 'bigint', default: 0 })
  usedSize: number;

  /** Reserved by open uploads. */
  @Column({ name: 'reserved_size', type: 'bigint', default: 0 })
  reservedSize: number;

  @Column({ name: 'recycle_size', type: 'bigint', default: 0 })
  recycleSize: number;

  /** Number of files that are not purged, plus open uploads. */
  @Column({ name: 'content_count', type: 'integer', default: 0 })
  contentCount: number;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** Unix milliseconds of the last change of the cloud's files or members. */
  @Column({ name: 'updated_at', type: 'bigint' })
  updatedAt: number;
}
