import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PointType } from '../contracts/location.js';
import { ReportedLocation } from './location-point.entities.js';

/** The child's last location. Times in Unix milliseconds, radius in metres. */
@Entity({ name: 'child_location', schema: 'userctx' })
export class ChildLocationEntity extends ReportedLocation {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'child_location_pk' })
  cid: string;

  /** The watch (`did`) that reported the location. */
  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'position_time', type: 'bigint' })
  positionTime: number;

  @Column({ name: 'point_type', type: 'smallint' })
  pointType: PointType;

  /** Newest time of all stored points of the child; null if not cached. */
  @Column({ name: 'newest_time', type: 'bigint', nullable: true })
  newestTime: number | null;

  /**
   * Newest time of the child's credible points, including points too inaccurate for the last location; null if not
   * cached.
   */
  @Column({ name: 'newest_credible_time', type: 'bigint', nullable: true })
  newestCredibleTime: number | null;
}
