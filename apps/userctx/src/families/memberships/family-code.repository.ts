import { Injectable } from '@nestjs/common';
import { LessThanOrEqual } from 'typeorm';
import { FamilyChildEntity } from '@family-watch/domain/families/entities/family.entities';
import { FamilyCodeEntity } from '@family-watch/domain/families/entities/join-request.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { ChildLink } from '../family.repository.js';

/** Stores the family codes that watches show, one per watch. A family code authorizes a join request. */
@Injectable()
export class FamilyCodeRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Stores the family code that the watch shows, and deletes the watch's previous code. */
  async replace({ familyId, cid }: ChildLink, did: number, codeDigest: Buffer, expiresAt: number): Promise<void> {
    await this.codes.upsert({ did, cid, familyId, codeDigest, expiresAt }, ['did']);
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
    await this.codes.delete({ expiresAt: LessThanOrEqual(now) });
  }

  private get codes() {
    return this.unitOfWork.manager.getRepository(FamilyCodeEntity);
  }
}
