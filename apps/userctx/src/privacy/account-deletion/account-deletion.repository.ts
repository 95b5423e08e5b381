import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { ACCOUNT_DELETION_STATE } from '@family-watch/domain/privacy/contracts/account-deletion';
import { AccountDeletionEntity } from '@family-watch/domain/privacy/entities/account-deletion.entity';
import { insertIfAbsent, lockDue } from '@family-watch/platform/database/entity-queries';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

const { REQUESTED } = ACCOUNT_DELETION_STATE;

/** Stores deletions of accounts and their receipts. */
@Injectable()
export class AccountDeletionRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findByUser(userId: string): Promise<AccountDeletionEntity | null> {
    return this.deletions.findOneBy({ userId });
  }

  find(receiptId: string): Promise<AccountDeletionEntity | null> {
    return this.deletions.findOneBy({ receiptId });
  }

  /** Returns false if the person has already requested the deletion. */
  add(deletion: Pick<AccountDeletionEntity, 'receiptId' | 'userId' | 'requestedAt' | 'eraseAt'>): Promise<boolean> {
    return insertIfAbsent(this.deletions, { ...deletion, state: REQUESTED, dueAt: deletion.eraseAt });
  }

  /** Deletes a deletion that was not carried out yet. Returns the deleted row, if any. */
  async cancel(userId: string): Promise<AccountDeletionEntity | null> {
    const requested = await this.deletions.findOne({
      where: { userId, state: REQUESTED },
      lock: { mode: 'pessimistic_write' },
    });
    if (requested) await this.deletions.delete({ receiptId: requested.receiptId });
    return requested;
  }

  /** Locks the deletion that has been due longest until the end of the transaction, and skips locked ones. */
  async lockDue(now: number): Promise<AccountDeletionEntity | null> {
    const [deletion = null] = await lockDue(this.deletions, 'dueAt', now, 1);
    return deletion;
  }

  lock(receiptId: string): Promise<AccountDeletionEntity | null> {
    return this.deletions.findOne({ where: { receiptId }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Postpones a deletion that failed. The failed transaction has released the lock, so a deletion that was completed or
   * changed since is left unchanged.
   */
  async postpone(receiptId: string, dueAt: number | null, postponedTo: number): Promise<void> {
    await this.deletions.update({ receiptId, dueAt: dueAt ?? IsNull() }, { dueAt: postponedTo });
  }

  async update(receiptId: string, changes: Partial<AccountDeletionEntity>): Promise<void> {
    await this.deletions.update({ receiptId }, changes);
  }

  private get deletions() {
    return this.unitOfWork.manager.getRepository(AccountDeletionEntity);
  }
}
