import { Injectable } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { EnrolmentListEntryEntity, UsedNonceEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import type { VerifiedNonce } from './watch-secrets.js';

/**
 * Stores the operator's list of watches that may enrol, and used nonces until they would have expired, which makes a
 * stateless nonce usable once.
 */
@Injectable()
export class EnrolmentRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findListEntry(imei: string): Promise<EnrolmentListEntryEntity | null> {
    return this.unitOfWork.manager.findOneBy(EnrolmentListEntryEntity, { imei });
  }

  /** Inserts entries. For an existing IMEI, replaces the manufacturer's key. */
  async upsertListEntries(entries: EnrolmentListEntryEntity[]): Promise<void> {
    await this.unitOfWork.manager.upsert(EnrolmentListEntryEntity, entries, ['imei']);
  }

  /** Returns false if the nonce was used before. Exactly one concurrent caller succeeds. */
  async markNonceUsed({ bytes, expiresAt }: VerifiedNonce): Promise<boolean> {
    const insertion = this.unitOfWork.manager.createQueryBuilder().insert().into(UsedNonceEntity);
    const used = await insertion.values({ nonce: bytes, expiresAt }).orIgnore().returning('nonce').execute();
    return (used.raw as unknown[]).length === 1;
  }

  async deleteExpiredNonces(now: number): Promise<void> {
    await this.unitOfWork.manager.delete(UsedNonceEntity, { expiresAt: LessThanOrEqual(now) });
  }
}
