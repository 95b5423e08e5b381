import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'location_point', schema: 'userctx' })
@Check('location_point_latitude', `(latitude >= ('-90'::integer)::numeric) AND (latitude <= (90)::numeric)`)
@Check('location_point_longitude', `(longitude >= ('-180'::integer)::numeric) AND (longitude <= (180)::numeric)`)
@Index('location_point_track', ['cid', 'positionTime', 'pointType', 'did'])
export class LocationPointEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'location_point_pk' })
  did: number;

  @PrimaryColumn({ name: 'position_time', type: 'bigint', primaryKeyConstraintName: 'location_point_pk' })
  positionTime: number;

  @PrimaryColumn({ name: 'point_type', type: 'smallint', primaryKeyConstraintName: 'location_point_pk' })
  pointType: number;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'latitude', type: 'numeric' })
  latitude: string;

  @Column({ name: 'longitude', type: 'numeric' })
  longitude: string;

  @Column({ name: 'radius', type: 'integer' })
  radius: number;

  @Column({ name: 'flags', type: 'smallint' })
  flags: number;

  @Column({ name: 'received_at', type: 'bigint' })
  receivedAt: number;
}

/** TODO */
@Entity({ name: 'location_wrong_report', schema: 'userctx' })
@Index('location_wrong_report_age', ['reportedAt'])
@Index('location_wrong_report_child', ['cid'])
export class PointCorrectionEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'location_wrong_report_pk' })
  did: number;

  @PrimaryColumn({ name: 'position_time', type: 'bigint', primaryKeyConstraintName: 'location_wrong_report_pk' })
  positionTime: number;

  @PrimaryColumn({ name: 'point_type', type: 'smallint', primaryKeyConstraintName: 'location_wrong_report_pk' })
  pointType: number;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'reported_by', type: 'text' })
  reportedBy: string;

  @Column({ name: 'comment', type: 'text', nullable: true })
  comment: string | null;

  @Column({ name: 'reported_at', type: 'bigint' })
  reportedAt: number;
}
