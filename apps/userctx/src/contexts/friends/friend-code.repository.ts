import { Injectable } from '@nestjs/common';
import { FamilyChildEntity } from '@family-watch/domain/families/entities/family.entities';
import { FriendCodeEntity } from '@family-watch/domain/friends/entities/friendship.entities';
import { LessThanOrEqual } from 'typeorm';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { ChildLink } from '../families/child-link.js';

/** Stores the friend codes that watches show. Times in Unix milliseconds. */
@Injectable()
export class FriendCodeRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Stores the watch's friend code and invalidates the previous one. */
  async replace(did: number, codeDigest: Buffer, expiresAt: number): Promise<void> {
    await this.table.upsert({ did, codeDigest, expiresAt }, ['did']);
  }

  /**
   * Returns the child whose watch shows the code. Locks the child's link for share until commit: a concurrent deletion
   * of the child waits and then ends the new friendship. The child's family is not locked, because the caller has
   * locked another family.
   */
  findChild(codeDigest: Buffer, now: number): Promise<ChildLink | null> {
    return this.unitOfWork.manager
      .createQueryBuilder(FamilyChildEntity, 'link')
      .select(['link.familyId', 'link.cid', 'link.did'])
      .innerJoin(FriendCodeEntity, 'code', 'code.did = link.did')
      .where('code.codeDigest = :codeDigest AND code.expiresAt > :now', { codeDigest, now })
      .setLock('pessimistic_read', undefined, ['link'])
      .getOne();
  }

  async deleteExpired(now: number): Promise<void> {
    await this.table.delete({ expiresAt: LessThanOrEqual(now) });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(FriendCodeEntity);
  }
}
