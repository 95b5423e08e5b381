import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { PointType, LocationRequestState, Location } from '../contracts/location.js';

/** Columns of a location that a watch reported. Times are Unix milliseconds. */
abstract class ReportedLocation {
  /** Decimal degrees exactly as the watch sent them. */
  @Column({ name: 'latitude', type: 'numeric' })
  latitude: string;

  @Column({ name: 'longitude', type: 'numeric' })
  longitude: string;

  /** Metres. */
  @Column({ name: 'radius', type: 'integer' })
  radius: number;

  /** Set of the flags of `POINT_FLAG`, one bit per flag. */
  @Column({ name: 'flags', type: 'smallint' })
  flags: number;

  @Column({ name: 'received_at', type: 'bigint' })
  receivedAt: number;
}

/**
 * A location point of a child. The table has one partition per day. The primary key makes inserts idempotent: a watch
 * has at most one point of a type at one time. Times are Unix milliseconds.
 */
@Entity({ name: 'location_point', schema: 'userctx' })
@Check('location_point_latitude_check', 'latitude BETWEEN -90 AND 90')
@Check('location_point_longitude_check', 'longitude BETWEEN -180 AND 180')
@Index('location_point_track', ['cid', 'positionTime', 'pointType', 'did'])
export class LocationPointEntity extends ReportedLocation {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'location_point_pkey' })
  did: number;

  @PrimaryColumn({ name: 'position_time', type: 'bigint', primaryKeyConstraintName: 'location_point_pkey' })
  positionTime: number;

  @PrimaryColumn({ name: 'point_type', type: 'smallint', primaryKeyConstraintName: 'location_point_pkey' })
  pointType: PointType;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;
}

/**
 * A guardian's report that a location point is wrong; `did`, `positionTime` and `pointType` identify the point. The
 * table has no foreign key to the points, because old points
 * are deleted by dropping a partition, and the reports about them only afterwards.
 */
@Entity({ name: 'location_wrong_report', schema: 'userctx' })
@Index('location_wrong_report_age', ['reportedAt'])
@Index('location_wrong_report_child', ['cid'])
@Index('location_wrong_report_reporter', ['reportedBy'])
export class PointCorrectionEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'location_wrong_report_pkey' })
  did: number;

  /** Unix milliseconds. */
  @PrimaryColumn({ name: 'position_time', type: 'bigint', primaryKeyConstraintName: 'location_wrong_report_pkey' })
  positionTime: number;

  @PrimaryColumn({ name: 'point_type', type: 'smallint', primaryKeyConstraintName: 'location_wrong_report_pkey' })
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

/** The child's last location. Times in Unix milliseconds, radius in metres. */
@Entity({ name: 'child_location', schema: 'userctx' })
export class ChildLocationEntity extends ReportedLocation {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'child_location_pkey' })
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

/**
 * A request for the current location of a child. A child has at most one pending request. Times are Unix milliseconds.
 */
@Entity({ name: 'location_ask', schema: 'userctx' })
@Check('location_ask_state_check', `state IN ('ASKED', 'ANSWERED', 'EXPIRED')`)
@Index('location_ask_age', ['askedAt'])
@Index('location_ask_by', ['by'])
@Index('location_ask_of_child', ['cid'])
@Index('location_ask_one_pending', ['cid'], { unique: true, where: `state = 'ASKED'` })
export class LocationRequestEntity {
  @PrimaryColumn({ name: 'ask_id', type: 'uuid', primaryKeyConstraintName: 'location_ask_pkey' })
  askId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  /** The watch that should report its location. */
  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'by', type: 'text' })
  by: PrincipalKey;

  @Column({ name: 'state', type: 'text' })
  state: LocationRequestState;

  @Column({ name: 'asked_at', type: 'bigint' })
  askedAt: number;

  /** When the request expires unless a point has answered it. */
  @Column({ name: 'deadline', type: 'bigint' })
  deadline: number;

  /** The point that answered the request; null unless the state is ANSWERED. */
  @Column({ name: 'answer', type: 'jsonb', nullable: true })
  location: Location | null;
}

/**
 * A public link that shows the location of a child. The row of an ended share is deleted, so that no data of the share
 * is retained. Times are Unix milliseconds.
 */
@Entity({ name: 'location_share', schema: 'userctx' })
@Unique('location_share_token_key', ['tokenDigest'])
@Index('location_share_expiry', ['expiresAt'])
@Index('location_share_family', ['familyId', 'cid'])
@Index('location_share_maker', ['createdBy'])
export class LocationShareEntity {
  @PrimaryColumn({ name: 'share_id', type: 'uuid', primaryKeyConstraintName: 'location_share_pkey' })
  shareId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  /** SHA-256 of the link's token; the token itself is not stored. */
  @Column({ name: 'token_digest', type: 'bytea' })
  tokenDigest: Buffer;

  /** User id of the member who created the share. The share ends when this member may no longer share the location. */
  @Column({ name: 'created_by', type: 'uuid' })
  createdBy: string;

  @Column({ name: 'title', type: 'text', nullable: true })
  title: string | null;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;
}
