import { Injectable } from '@nestjs/common';
import { LessThanOrEqual, MoreThan } from 'typeorm';
import { OWNERSHIP_CLAIM_STATE, type OwnershipClaimState } from '@family-watch/domain/families/contracts/family';
import { OwnershipClaimEntity } from '@family-watch/domain/families/entities/family.entities';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { findTimePage, insertIfAbsent } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';

/** A guardian's claim to the ownership of a family. */
export type OwnershipClaim = OwnershipClaimEntity;

export type NewClaim = Pick<OwnershipClaim, 'claimId' | 'familyId' | 'claimantUserId' | 'createdAt' | 'deadline'>;

const { OPEN } = OWNERSHIP_CLAIM_STATE;

/** The final states of an ownership claim. */
export type ClaimEndState = Exclude<OwnershipClaimState, typeof OPEN>;

@Injectable()
export class OwnershipClaimRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns false while another claim of the family is open. */
  add(claim: NewClaim): Promise<boolean> {
    return insertIfAbsent(this.table, { ...claim, state: OPEN });
  }

  find(familyId: string, claimId: string): Promise<OwnershipClaim | null> {
    return this.table.findOneBy({ claimId, familyId });
  }

  findOpen(familyId: string): Promise<OwnershipClaim | null> {
    return this.table.findOneBy({ familyId, state: OPEN });
  }

  countSince(familyId: string, claimantUserId: string, since: number): Promise<number> {
    return this.table.countBy({ familyId, claimantUserId, createdAt: MoreThan(since) });
  }

  /** Returns a page of claims, newest first. */
  findPage(familyId: string, page: TimePageRequest): Promise<Page<OwnershipClaim>> {
    return findTimePage(this.table, { familyId }, { time: 'createdAt', id: 'claimId' }, page);
  }

  /**
   * Ends an open claim. Returns true for exactly one of several concurrent calls, and false when the claim has ended.
   */
  async end(
    { familyId, claimId }: Pick<OwnershipClaim, 'familyId' | 'claimId'>,
    state: ClaimEndState,
    end: { at: number; by: PrincipalKey | null },
  ): Promise<boolean> {
    const { affected } = await this.table.update(
      { claimId, familyId, state: OPEN },
      { state, endedAt: end.at, endedBy: end.by },
    );
    return affected === 1;
  }

  /** Returns open claims of all families whose deadline has passed, in order of their ids after `afterId`. */
  findDue(now: number, limit: number, afterId?: string): Promise<OwnershipClaim[]> {
    return this.table.find({
      where: { state: OPEN, deadline: LessThanOrEqual(now), ...(afterId && { claimId: MoreThan(afterId) }) },
      order: { claimId: 'ASC' },
      take: limit,
    });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(OwnershipClaimEntity);
  }
}
