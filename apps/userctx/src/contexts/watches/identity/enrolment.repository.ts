import { Injectable } from '@nestjs/common';
import { EnrolmentListEntryEntity } from '@family-watch/domain/watches/entities/watch.entities';
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
    const used = await this.unitOfWork.executor.query(
      'insert into userctx.used_nonce (nonce, expires_at) values ($1, $2) on conflict do nothing returning 1',
      [bytes, expiresAt],
    );
    return used.length === 1;
  }

  async deleteExpiredNonces(now: number): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.used_nonce where expires_at <= $1', [now]);
  }
}
