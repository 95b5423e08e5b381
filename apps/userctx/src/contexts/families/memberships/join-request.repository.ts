import { Injectable } from '@nestjs/common';
import { In, LessThan, LessThanOrEqual, MoreThan } from 'typeorm';
import { JOIN_REQUEST_STATE, INVITATION_STATE } from '@family-watch/domain/families/contracts/family';
import { FamilyChildEntity } from '@family-watch/domain/families/entities/family.entities';
import {
  JoinRequestEntity,
  FamilyCodeEntity,
  FamilyInvitationEntity,
} from '@family-watch/domain/families/entities/join-request.entities';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { findTimePage } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/http/page-cursor';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import type { ChildLink } from '../family.repository.js';

/** A person's request to join a family, in any state. */
export type JoinRequest = JoinRequestEntity;

const { PENDING, APPROVED, CANCELLED, EXPIRED } = JOIN_REQUEST_STATE;

/**
 * Stores the join requests, one per family and person, and the family codes and invitations that authorize them. The
 * family must be locked before its join requests are changed.
 */
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

  /** Stores the family code that the watch shows, and deletes the watch's previous code. */
  async replaceCode({ familyId, cid }: ChildLink, did: number, codeDigest: Buffer, expiresAt: number): Promise<void> {
    await this.codes.upsert({ did, cid, familyId, codeDigest, expiresAt }, ['did']);
  }

  /** Finds the child whose watch shows the code, if the watch is still bound to that child. */
  findChildByCode(codeDigest: Buffer, now: number): Promise<ChildLink | null> {
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

  async deleteExpiredCodes(now: number): Promise<void> {
    await this.codes.delete({ expiresAt: LessThanOrEqual(now) });
  }

  async addInvitation(invitation: FamilyInvitationEntity): Promise<void> {
    await this.invitations.insert(invitation);
  }

  findPendingInvitations(familyId: string, now: number): Promise<FamilyInvitationEntity[]> {
    return this.invitations.find({
      where: { familyId, state: INVITATION_STATE.PENDING, expiresAt: MoreThan(now) },
      order: { createdAt: 'ASC', invitationId: 'ASC' },
    });
  }

  /** Finds a pending invitation by code, in any family. */
  findInvitationByCode(codeDigest: string, now: number): Promise<FamilyInvitationEntity | null> {
    return this.invitations.findOneBy({ codeDigest, state: INVITATION_STATE.PENDING, expiresAt: MoreThan(now) });
  }

  /** Marks the invitation as accepted. Returns true for exactly one of several concurrent calls. */
  async acceptInvitation(familyId: string, invitationId: string, acceptedBy: string, now: number): Promise<boolean> {
    const { affected } = await this.invitations.update(
      { familyId, invitationId, state: INVITATION_STATE.PENDING, expiresAt: MoreThan(now) },
      { state: INVITATION_STATE.ACCEPTED, acceptedBy },
    );
    return affected === 1;
  }

  /** Returns false if there is no pending invitation to cancel. */
  async cancelInvitation(familyId: string, invitationId: string, now: number): Promise<boolean> {
    const { affected } = await this.invitations.update(
      { familyId, invitationId, state: INVITATION_STATE.PENDING, expiresAt: MoreThan(now) },
      { state: INVITATION_STATE.CANCELLED },
    );
    return affected === 1;
  }

  async cancelInvitations(familyId: string): Promise<void> {
    await this.invitations.update({ familyId, state: INVITATION_STATE.PENDING }, { state: INVITATION_STATE.CANCELLED });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(JoinRequestEntity);
  }

  private get codes() {
    return this.unitOfWork.manager.getRepository(FamilyCodeEntity);
  }

  private get invitations() {
    return this.unitOfWork.manager.getRepository(FamilyInvitationEntity);
  }
}
