import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ChildReadKind, ViewerKey } from '../contracts/child-read.js';

/**
 * An entry of a child's access log. The entries of a child are a hash chain. The runtime role can neither change nor
 * delete entries; functions of the schema delete expired entries and those of erased children.
 */
@Entity({ schema: 'userctx', name: 'child_read' })
@Unique('child_read_once_key', ['cid', 'hour', 'viewer', 'kind'])
export class ChildReadEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'child_read_pkey' })
  cid!: string;

  /** Number of the entry in the log of the child: 1, 2, 3, …. */
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'child_read_pkey' })
  sequence!: number;

  @Column('text')
  viewer!: ViewerKey;

  @Column('text')
  kind!: ChildReadKind;

  /** Start of the hour, Unix milliseconds. */
  @Column('bigint')
  hour!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'recorded_at' })
  recordedAt!: number;

  /** SHA-256 of the previous entry's hash and the columns of this entry. */
  @Column('bytea')
  hash!: Buffer;
}

/** The ends of a child's hash chain. The row is locked while entries are added or deleted. */
@Entity({ schema: 'userctx', name: 'child_read_chain' })
@Check('child_read_chain_order_check', 'first_sequence <= last_sequence + 1')
@Index('child_read_chain_oldest', ['oldestAt'], { where: 'oldest_at IS NOT NULL' })
export class ChildReadChainEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'child_read_chain_pkey' })
  cid!: string;

  /** Number of the oldest entry that was not deleted after its retention. */
  @Column('bigint', { name: 'first_sequence', default: 1 })
  firstSequence!: number;

  /** Number of the newest entry; 0 if there is none. */
  @Column('bigint', { name: 'last_sequence', default: 0 })
  lastSequence!: number;

  /** Hash of the entry before the oldest one; empty if there is none. */
  @Column('bytea', { name: 'base_hash', default: () => `'\\x'` })
  baseHash!: Buffer;

  /** Hash of the newest entry; `baseHash` if there is none. */
  @Column('bytea', { name: 'last_hash', default: () => `'\\x'` })
  lastHash!: Buffer;

  /** `recordedAt` of the oldest entry; null if there is none. */
  @Column('bigint', { name: 'oldest_at', nullable: true })
  oldestAt!: number | null;
}
