import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { WatchEntity } from '../../watches/entities/watch.entity.js';

/** TODO */
@Entity({ name: 'friend_code', schema: 'userctx' })
@Unique('friend_code_digest_unique', ['codeDigest'])
@ForeignKey(() => WatchEntity, ['did'], ['did'], { name: 'friend_code_watch', onDelete: 'CASCADE' })
@Index('friend_code_expires', ['expiresAt'])
export class FriendCodeEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'friend_code_pk' })
  did: number;

  @Column({ name: 'code_digest', type: 'bytea' })
  codeDigest: Buffer;

  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;
}

/** TODO */
@Entity({ name: 'friendship', schema: 'userctx' })
@Check('friendship_applicant_check', `applicant = ANY (ARRAY['A'::text, 'B'::text])`)
@Check('friendship_pair_order', 'cid_a < cid_b')
@Unique('friendship_pair_unique', ['cidA', 'cidB'])
@Check(
  'friendship_state_check',
  `state = ANY (ARRAY['APPLIED'::text, 'CONFIRMED'::text, 'ACCEPTED'::text, 'REJECTED'::text, 'ENDED'::text])`,
)
@Index('friendship_of_b', ['cidB'])
export class FriendshipEntity {
  @PrimaryColumn({ name: 'friendship_id', type: 'uuid', primaryKeyConstraintName: 'friendship_pk' })
  friendshipId: string;

  @Column({ name: 'cid_a', type: 'uuid' })
  cidA: string;

  @Column({ name: 'cid_b', type: 'uuid' })
  cidB: string;

  @Column({ name: 'family_a', type: 'uuid' })
  familyA: string;

  @Column({ name: 'family_b', type: 'uuid' })
  familyB: string;

  @Column({ name: 'state', type: 'text' })
  state: string;

  @Column({ name: 'applicant', type: 'text' })
  applicant: string;

  @Column({ name: 'applicant_did', type: 'bigint' })
  applicantDid: number;

  @Column({ name: 'kept_out_by_a', type: 'boolean' })
  keptOutByA: boolean;

  @Column({ name: 'kept_out_by_b', type: 'boolean' })
  keptOutByB: boolean;

  @Column({ name: 'version', type: 'integer' })
  version: number;

  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt: number;

  @Column({ name: 'published_version', type: 'integer', default: 0 })
  publishedVersion: number;
}
