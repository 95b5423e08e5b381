import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { TimeCursor } from '@family-watch/platform/http/page-cursor';
import { UserctxOutbox } from '../../../infrastructure/userctx-infrastructure.js';
import { nextClaimState } from './claim-state.js';
import type { ClaimEndState, ClaimTransition } from './claim-state.js';
import type { NewClaim, OwnershipClaim } from './ownership-claim.js';
import { OwnershipClaimRepository } from './ownership-claim.repository.js';

/**
 * Manages ownership claims by guardians. A family has at most one open claim, and every change of a claim is published.
 * Changes must be made in the caller's transaction with the family locked.
 */
@Injectable()
export class OwnershipClaimsService {
  constructor(
    private readonly claims: OwnershipClaimRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  find(familyId: string, claimId: string): Promise<OwnershipClaim | null> {
    return this.claims.find(familyId, claimId);
  }

  findPage(familyId: string, after: TimeCursor | undefined, limit: number): Promise<OwnershipClaim[]> {
    return this.claims.findPage(familyId, after, limit);
  }

  findDue(now: number, limit: number): Promise<OwnershipClaim[]> {
    return this.claims.findDue(now, limit);
  }

  /** Returns how many claims this guardian has made since `since` (Unix milliseconds). */
  countSince(familyId: string, claimantUserId: string, since: number): Promise<number> {
    return this.claims.countSince(familyId, claimantUserId, since);
  }

  /** @returns the open claim, or undefined when another claim is open */
  async create(claim: NewClaim): Promise<OwnershipClaim | undefined> {
    if (!(await this.claims.add(claim))) return undefined;
    const created: OwnershipClaim = { ...claim, state: 'OPEN', endedAt: null, endedBy: null };
    await this.publishChange(created, claim.createdAt, `user:${claim.claimantUserId}`);
    return created;
  }

  /**
   * Applies a transition. Repeating a transition changes nothing.
   * @param actor null when the claim ends automatically
   * @returns false when the claim ended in another state
   */
  async apply(claim: OwnershipClaim, transition: ClaimTransition, actor: PrincipalKey | null): Promise<boolean> {
    const state = nextClaimState(claim.state, transition);
    if (state === null) return false;
    const at = Date.now();
    if (state !== claim.state && (await this.claims.end(claim, state as ClaimEndState, { at, by: actor }))) {
      await this.publishChange({ ...claim, state }, at, actor);
    }
    return true;
  }

  /** Withdraws the open claim of a person who is no longer a guardian. */
  async withdrawFor(familyId: string, userId: string): Promise<void> {
    const claim = await this.claims.findOpen(familyId);
    if (claim?.claimantUserId === userId) await this.apply(claim, 'WITHDRAW', null);
  }

  /** Withdraws the open claim of a dissolved family. */
  async closeAll(familyId: string): Promise<void> {
    const claim = await this.claims.findOpen(familyId);
    if (claim) await this.apply(claim, 'WITHDRAW', null);
  }

  /**
   * Closes the open claim when the owner transfers the family. The claim is granted if the new owner is the claimant,
   * otherwise refused.
   */
  async closeOnTransfer(familyId: string, newOwnerUserId: string, actor: PrincipalKey): Promise<void> {
    const claim = await this.claims.findOpen(familyId);
    if (claim) await this.apply(claim, claim.claimantUserId === newOwnerUserId ? 'GRANT' : 'REFUSE', actor);
  }

  private async publishChange(claim: OwnershipClaim, time: number, actor: PrincipalKey | null): Promise<void> {
    const { familyId, claimId, claimantUserId, state, deadline } = claim;
    const payload = { familyId, claimId, claimantUserId, state, by: actor, time, deadline };
    await this.outbox.append({ name: 'userctx.ownership-claim.changed', key: familyId, payload });
  }
}
