import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { PointType } from '../contracts/location.js';

/** Columns of a location that a watch reported. Times are Unix milliseconds. */
export abstract class ReportedLocation {
  /** Decimal degrees exactly as the watch sent them. */
  @Column({ name: 'latitude', type: 'numeric' })
  latitude: string;

  @Column({ name: 'longitude', type: 'numeric' })
  longitude: string;

  /** Metres. */
  @Column({ name: 'radius', type: 'integer' })
  radius: number;

  /** Flags as bits. */
  @Column({ name: 'flags', type: 'smallint' })
  flags: number;

  @Column({ name: 'received_at', type: 'bigint' })
  receivedAt: number;
}

/**
 * A location point of a child. The table has one partition per day. The key makes inserts idempotent: a watch has one
 * point of a type at any time. Times are Unix milliseconds.
 */
@Entity({ name: 'location_point', schema: 'userctx' })
@Check('location_point_latitude', 'latitude BETWEEN -90 AND 90')
@Check('location_point_longitude', 'longitude BETWEEN -180 AND 180')
@Index('location_point_track', ['cid', 'positionTime', 'pointType', 'did'])
export class LocationPointEntity extends ReportedLocation {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'location_point_pk' })
  did: number;

  @PrimaryColumn({ name: 'position_time', type: 'bigint', primaryKeyConstraintName: 'location_point_pk' })
  positionTime: number;

  @PrimaryColumn({ name: 'point_type', type: 'smallint', primaryKeyConstraintName: 'location_point_pk' })
  pointType: PointType;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;
}

/**
 * A guardian's report that a location point is wrong. The table has no foreign key to the points, because points are
 * deleted by partition and these rows slightly later.
 */
@Entity({ name: 'location_wrong_report', schema: 'userctx' })
@Index('location_wrong_report_age', ['reportedAt'])
@Index('location_wrong_report_child', ['cid'])
export class PointCorrectionEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'location_wrong_report_pk' })
  did: number;

  /** Unix milliseconds. */
  @PrimaryColumn({ name: 'position_time', type: 'bigint', primaryKeyConstraintName: 'location_wrong_report_pk' })
  positionTime: number;

  @PrimaryColumn({ name: 'point_type', type: 'smallint', primaryKeyConstraintName: 'location_wrong_report_pk' })
  pointType: PointType;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'reported_by', type: 'text' })
  reportedBy: PrincipalKey;

  @Column({ name: 'comment', type: 'text', nullable: true })
  comment: string | null;

  /** Unix milliseconds. */
  @Column({ name: 'reported_at', type: 'bigint' })
  reportedAt: number;
}
