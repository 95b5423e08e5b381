import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/**
 * A public link that shows the location of a child. The row of an ended share is deleted, so that no data of the share is
 * retained. Times are Unix milliseconds.
 */
@Entity({ name: 'location_share', schema: 'userctx' })
@Unique('location_share_token_key', ['tokenDigest'])
@Index('location_share_expiry', ['expiresAt'])
@Index('location_share_family', ['familyId', 'cid'])
export class LocationShareEntity {
  @PrimaryColumn({ name: 'share_id', type: 'uuid', primaryKeyConstraintName: 'location_share_pk' })
  shareId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  /** SHA-256 of the link's token; the token itself is not stored. */
  @Column({ name: 'token_digest', type: 'bytea' })
  tokenDigest: Buffer;

  /** The member whose permission the share depends on. */
  @Column({ name: 'created_by', type: 'uuid' })
  createdBy: string;

  @Column({ name: 'title', type: 'text', nullable: true })
  title: string | null;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;
}
