import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { FriendRequestState } from '../../messages/contracts/payloads.js';
import { WatchEntity } from '../../watches/entities/watch.entities.js';

/**
 * The current friend code of a watch, which another child enters to request a friendship. At most one row per watch.
 */
@Entity({ name: 'friend_code', schema: 'userctx' })
@Unique('friend_code_digest_key', ['codeDigest'])
@ForeignKey(() => WatchEntity, ['did'], ['did'], { name: 'friend_code_watch_fkey', onDelete: 'CASCADE' })
@Index('friend_code_expires', ['expiresAt'])
export class FriendCodeEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'friend_code_pkey' })
  did: number;

  /** Keyed digest of the code; the code itself is not stored. */
  @Column({ name: 'code_digest', type: 'bytea' })
  codeDigest: Buffer;

  /** Unix milliseconds. */
  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;
}

/**
 * A pair of children and the state of their friendship. `A` is the child with the smaller `cid`. The row is retained
 * while both children exist, even after the friendship has ended, so that a block stays effective.
 */
@Entity({ name: 'friendship', schema: 'userctx' })
@Check('friendship_applicant_check', `applicant IN ('A', 'B')`)
@Check('friendship_pair_order_check', 'cid_a < cid_b')
@Unique('friendship_pair_key', ['cidA', 'cidB'])
@Check('friendship_state_check', `state IN ('APPLIED', 'CONFIRMED', 'ACCEPTED', 'REJECTED', 'ENDED')`)
@Index('friendship_of_b', ['cidB'])
export class FriendshipEntity {
  @PrimaryColumn({ name: 'friendship_id', type: 'uuid', primaryKeyConstraintName: 'friendship_pkey' })
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
  state: FriendRequestState;

  /** The child that sent the last friend request. */
  @Column({ name: 'applicant', type: 'text' })
  applicant: 'A' | 'B';

  /** The watch (`did`) that sent the last friend request. */
  @Column({ name: 'applicant_did', type: 'bigint' })
  applicantDid: number;

  /** Whether the family of `A` blocks `B`. */
  @Column({ name: 'kept_out_by_a', type: 'boolean' })
  blockedByA: boolean;

  /** Whether the family of `B` blocks `A`. */
  @Column({ name: 'kept_out_by_b', type: 'boolean' })
  blockedByB: boolean;

  @Column({ name: 'version', type: 'integer' })
  version: number;

  /** Unix milliseconds. */
  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt: number;

  /** Version of the last published `userctx.friendship.changed`; 0 if there was none. */
  @Column({ name: 'published_version', type: 'integer', default: 0 })
  publishedVersion: number;
}
