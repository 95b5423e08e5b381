import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { AccountDeletionState } from '../contracts/account-deletion.js';
import type { ErasingApp, ErasureCounts, ErasureSubjects } from '../../kernel/contracts/account-erasure.js';

/** The deletion of an account, and afterwards its receipt, which contains nothing about the person. */
@Entity({ schema: 'userctx', name: 'account_deletion' })
@Index('account_deletion_of_account', ['userId'], { unique: true, where: 'user_id IS NOT NULL' })
@Index('account_deletion_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
@Check('account_deletion_receipt_check', `(state = 'COMPLETED') = (digest IS NOT NULL)`)
@Check('account_deletion_anonymous_check', `state <> 'COMPLETED' OR (user_id IS NULL AND subjects IS NULL)`)
export class AccountDeletionEntity {
  /** Random; anyone who knows the id can read the receipt. */
  @PrimaryColumn('uuid', { name: 'receipt_id', primaryKeyConstraintName: 'account_deletion_pkey' })
  receiptId: string;

  @Column('uuid', { name: 'user_id', nullable: true })
  userId: string | null;

  @Column('text')
  state: AccountDeletionState;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'requested_at' })
  requestedAt: number;

  /** Until when the person can cancel the deletion, in Unix milliseconds. */
  @Column('bigint', { name: 'erase_at' })
  eraseAt: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'erased_at', nullable: true })
  erasedAt: number | null;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'completed_at', nullable: true })
  completedAt: number | null;

  /** When the account is erased, or the event of the erasure is published again, in Unix milliseconds. */
  @Column('bigint', { name: 'due_at', nullable: true })
  dueAt: number | null;

  /** What the apps erase, until they have confirmed it. */
  @Column('jsonb', { nullable: true })
  subjects: ErasureSubjects | null;

  @Column('jsonb', { default: {} })
  confirmations: Partial<Record<ErasingApp, { counts: ErasureCounts; time: number }>>;

  /** SHA-256 of the receipt's text. */
  @Column('text', { nullable: true })
  digest: string | null;
}
