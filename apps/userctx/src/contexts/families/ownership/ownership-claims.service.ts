import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { UserctxOutbox } from '../../../infrastructure/userctx.outbox.js';
import { nextClaimState } from './claim-state.js';
import type { ClaimEndState, ClaimTransition } from './claim-state.js';
import { OwnershipClaimRepository } from './ownership-claim.repository.js';
import type { ClaimCursor, NewClaim, OwnershipClaim } from './ownership-claim.js';

/**
 * Claims of families by their guardians: one is open at a time, and whatever happens to it is told. Changes are made
 * in the caller's unit of work with the family locked.
 */
@Injectable()
export class OwnershipClaimsService {
  constructor(
    private readonly claims: OwnershipClaimRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  find(familyId: string, claimId: string): Promise<OwnershipClaim | undefined> {
    return this.claims.find(familyId, claimId);
  }

  findPage(familyId: string, after: ClaimCursor | undefined, limit: number): Promise<OwnershipClaim[]> {
    return this.claims.findPage(familyId, after, limit);
  }

  findDue(now: number, limit: number): Promise<OwnershipClaim[]> {
    return this.claims.findDue(now, limit);
  }

  /** How often this guardian has claimed the family since then (Unix milliseconds). */
  countSince(familyId: string, claimantUserId: string, since: number): Promise<number> {
    return this.claims.countSince(familyId, claimantUserId, since);
  }

  /** @returns the open claim, or undefined while another one is open. */
  async create(claim: NewClaim): Promise<OwnershipClaim | undefined> {
    if (!(await this.claims.add(claim))) return undefined;
    const opened: OwnershipClaim = { ...claim, state: 'OPEN', endedAt: null, endedBy: null };
    await this.tell(opened, claim.createdAt, `user:${claim.claimantUserId}`);
    return opened;
  }

  /**
   * The same step again changes nothing. `by`: null when it ends by itself.
   * @returns false for a claim that ended another way.
   */
  async apply(claim: OwnershipClaim, step: ClaimTransition, by: PrincipalKey | null): Promise<boolean> {
    const state = nextClaimState(claim.state, step);
    if (state === null) return false;
    const at = Date.now();
    if (state !== claim.state && (await this.claims.end(claim, state as ClaimEndState, { at, by }))) {
      await this.tell({ ...claim, state }, at, by);
    }
    return true;
  }

  /** Ends the claim of a person who is no guardian any more. */
  async withdrawFor(familyId: string, userId: string): Promise<void> {
    const claim = await this.claims.findOpen(familyId);
    if (claim?.claimantUserId === userId) await this.apply(claim, 'WITHDRAW', null);
  }

  /** Nobody can have the family any more. */
  async closeAll(familyId: string): Promise<void> {
    const claim = await this.claims.findOpen(familyId);
    if (claim) await this.apply(claim, 'WITHDRAW', null);
  }

  /** The owner gives the family to this person: nobody has to claim it any more. */
  async closeOnTransfer(familyId: string, newOwnerUserId: string, by: PrincipalKey): Promise<void> {
    const claim = await this.claims.findOpen(familyId);
    if (claim) await this.apply(claim, claim.claimantUserId === newOwnerUserId ? 'GRANT' : 'REFUSE', by);
  }

  private async tell(claim: OwnershipClaim, time: number, by: PrincipalKey | null): Promise<void> {
    const { familyId, claimId, claimantUserId, state, deadline } = claim;
    const payload = { familyId, claimId, claimantUserId, state, by, time, deadline };
    await this.outbox.append({ name: 'userctx.ownership-claim.changed', key: familyId, payload });
  }
}
