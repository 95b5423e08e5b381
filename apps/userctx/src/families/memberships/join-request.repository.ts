import { Injectable } from '@nestjs/common';
import { In, LessThan, LessThanOrEqual, MoreThan } from 'typeorm';
import { JOIN_REQUEST_STATE } from '@family-watch/domain/families/contracts/family';
import { JoinRequestEntity } from '@family-watch/domain/families/entities/join-request.entities';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { findTimePage } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** A person's request to join a family, in any state. */
export type JoinRequest = JoinRequestEntity;

const { PENDING, APPROVED, CANCELLED, EXPIRED } = JOIN_REQUEST_STATE;

/** Stores the join requests, one per family and person. The family must be locked before its join requests are changed. */
@Injectable()
export class JoinRequestRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  find(familyId: string, applicationId: string): Promise<JoinRequest | null> {
    return this.table.findOneBy({ applicationId, familyId });
  }

  findOwn(applicantUserId: string, applicationId: string): Promise<JoinRequest | null> {
    return this.table.findOneBy({ applicationId, applicantUserId });
  }

  findByApplicant(familyId: string, applicantUserId: string): Promise<JoinRequest | null> {
    return this.table.findOneBy({ familyId, applicantUserId });
  }

  /** Inserts or updates the join request. The id of a person's request to a family never changes. */
  async save(joinRequest: JoinRequest): Promise<void> {
    await this.table.upsert({ ...joinRequest }, ['applicationId']);
  }

  findPending(familyId: string): Promise<JoinRequest[]> {
    return this.table.find({
      where: { familyId, state: PENDING },
      order: { createdAt: 'ASC', applicationId: 'ASC' },
    });
  }

  /** Returns a page of join requests, newest first, of one family or of one applicant. */
  findPage(
    filter: { familyId: string } | { applicantUserId: string },
    page: TimePageRequest,
  ): Promise<Page<JoinRequest>> {
    return findTimePage(this.table, filter, { time: 'createdAt', id: 'applicationId' }, page);
  }

  /** Finds pending join requests of all families whose expiry time has passed, in order of their ids after `afterId`. */
  findDue(now: number, limit: number, afterId?: string): Promise<JoinRequest[]> {
    return this.table.find({
      where: { state: PENDING, expiresAt: LessThanOrEqual(now), ...(afterId && { applicationId: MoreThan(afterId) }) },
      order: { applicationId: 'ASC' },
      take: limit,
    });
  }

  /** Deletes closed join requests. Rejected join requests are retained as long as the family exists. */
  async deleteClosed(changedBefore: number): Promise<void> {
    await this.table.delete({ state: In([APPROVED, CANCELLED, EXPIRED]), changedAt: LessThan(changedBefore) });
  }

  async clearChild(familyId: string, cid: string): Promise<void> {
    await this.table.update({ familyId, cid }, { cid: null, did: null });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(JoinRequestEntity);
  }
}
