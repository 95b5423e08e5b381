import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ErasureCounts, ErasureSubjects } from '../../accounts/contracts/account-deletion.js';

/** An erasure that the app has not confirmed yet. Each app's schema has its own table. */
@Entity({ name: 'account_erasure' })
@Index('account_erasure_due', ['dueAt'])
export class AccountErasureEntity {
  @PrimaryColumn('uuid', { name: 'receipt_id', primaryKeyConstraintName: 'account_erasure_pkey' })
  receiptId: string;

  @Column('jsonb')
  subjects: ErasureSubjects;

  /** What was erased so far. */
  @Column('jsonb', { default: {} })
  counts: ErasureCounts;

  /** When the next pass is due, in Unix milliseconds. */
  @Column('bigint', { name: 'due_at' })
  dueAt: number;
}
