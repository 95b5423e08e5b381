import { Injectable } from '@nestjs/common';
import { FamilyChildEntity } from '@family-watch/domain/families/entities/family.entities';
import { FamilyCodeEntity } from '@family-watch/domain/families/entities/join-request.entities';
import { LessThanOrEqual } from 'typeorm';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import type { ChildLink } from '../../families/child-link.js';

/** Stores the codes that watches show to people who want to join the family. Times are Unix milliseconds. */
@Injectable()
export class FamilyCodeRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Stores the watch's current code, which replaces the previous one. */
  async replace({ familyId, cid }: ChildLink, did: number, codeDigest: Buffer, expiresAt: number): Promise<void> {
    await this.table.upsert({ did, cid, familyId, codeDigest, expiresAt }, ['did']);
  }

  /** Finds the child whose watch shows the code, if the watch is still bound to that child. */
  findChild(codeDigest: Buffer, now: number): Promise<ChildLink | null> {
    return this.unitOfWork.manager
      .createQueryBuilder(FamilyChildEntity, 'link')
      .select(['link.familyId', 'link.cid', 'link.did'])
      .innerJoin(
        FamilyCodeEntity,
        'code',
        'code.did = link.did AND code.cid = link.cid AND code.familyId = link.familyId',
      )
      .where('code.codeDigest = :codeDigest AND code.expiresAt > :now', { codeDigest, now })
      .getOne();
  }

  async deleteExpired(now: number): Promise<void> {
    await this.table.delete({ expiresAt: LessThanOrEqual(now) });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(FamilyCodeEntity);
  }
}
