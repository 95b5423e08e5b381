import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ErasureCounts, ErasureSubjects } from '../contracts/account-erasure.js';

/**
 * An erasure of the app. After the confirmation, the app looks for a week for rows that late events have created. Each
 * app's schema has its own table.
 */
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

  /** When the account was erased; 0 if a build that did not store the time has begun the erasure. */
  @Column('bigint', { name: 'erased_at', default: 0 })
  erasedAt: number;

  /** When the app confirmed the erasure; null before. */
  @Column('bigint', { name: 'confirmed_at', nullable: true })
  confirmedAt: number | null;

  /** Number of passes that failed or had to wait since the last one that erased a row. */
  @Column('integer', { name: 'idle_passes', default: 0 })
  idlePasses: number;

  /** When the next pass is due. All times are in Unix milliseconds. */
  @Column('bigint', { name: 'due_at' })
  dueAt: number;
}
