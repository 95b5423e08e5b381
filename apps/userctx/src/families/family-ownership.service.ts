import { Injectable } from '@nestjs/common';
import { CHILD_RESTORE_WINDOW_MS } from '@family-watch/domain/families/contracts/child';
import { OWNERSHIP_CLAIM_STATE, type OwnershipClaimState } from '@family-watch/domain/families/contracts/family';
import { CHILD_PERMISSION, FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxOutbox } from '../infrastructure/userctx-infrastructure.js';
import { FamilyRepository, type MemberIdentity } from './family.repository.js';
import {
  OwnershipClaimRepository,
  type NewClaim,
  type OwnershipClaim,
  type ClaimEndState,
} from './ownership-claim.repository.js';

const ERASURE_INTERVAL_MS = 60_000;

/** Every permission for every child, for an owner and for a former owner who becomes a guardian. */
export const FULL_GRANT = { permissions: Object.values(CHILD_PERMISSION), childPermissions: {} };

const { OPEN, REFUSED, WITHDRAWN, GRANTED } = OWNERSHIP_CLAIM_STATE;

export type ClaimTransition = 'REFUSE' | 'WITHDRAW' | 'GRANT';

const CLAIM_END_STATES: Readonly<Record<ClaimTransition, ClaimEndState>> = {
  REFUSE: REFUSED,
  WITHDRAW: WITHDRAWN,
  GRANT: GRANTED,
};

/**
 * Manages the ownership of families, and guardians' claims to the ownership. A family has at most one open claim, and
 * every change of a claim is published. Changes must be made in the caller's transaction with the family locked. The
 * caller must also publish the family snapshot and synchronize the contacts.
 */
@Injectable()
export class FamilyOwnershipService {
  constructor(
    private readonly families: FamilyRepository,
    private readonly outbox: UserctxOutbox,
    private readonly claims: OwnershipClaimRepository,
  ) {}

  /** Returns whether this person owns a family. A person owns at most one family. */
  async ownsFamily(userId: string): Promise<boolean> {
    return (await this.findOwned(userId)) !== null;
  }

  findOwned(userId: string): Promise<string | null> {
    return this.families.findOwnedBy(userId);
  }

  /** Returns the families that this person dissolved and that were not deleted yet. */
  findDissolvedBy(userId: string): Promise<string[]> {
    return this.families.findDissolvedBy(userId);
  }

  /** Returns the guardians who can become the owner now, the preferred one first. */
  async findSuccessors(familyId: string): Promise<string[]> {
    const successors: string[] = [];
    for (const userId of await this.families.findActiveGuardians(familyId, Date.now()))
      if (!(await this.ownsFamily(userId))) successors.push(userId);
    return successors;
  }

  /**
   * Transfers the family to another owner. The previous owner becomes a guardian with every permission.
   * @throws ServiceError MEMBER_NOT_FOUND
   * @throws ServiceError ROLE_CHANGE_FORBIDDEN when the member is not a guardian, is suspended or is about to be erased
   * @throws ServiceError LIMIT_REACHED when the member owns a family
   */
  async transfer(familyId: string, toUserId: string, actor: PrincipalKey): Promise<void> {
    const members = await this.families.findMembers(familyId);
    const from = members.find(({ role }) => role === FAMILY_ROLE.OWNER);
    const to = members.find(({ userId }) => userId === toUserId);
    if (!from) throw new Error('The family has no owner');
    if (!to) throw new ServiceError('MEMBER_NOT_FOUND');
    if (to.role !== FAMILY_ROLE.GUARDIAN) throw new ServiceError('ROLE_CHANGE_FORBIDDEN');
    if (await this.ownsFamily(toUserId)) throw new ServiceError('LIMIT_REACHED');
    const guardians = await this.families.findActiveGuardians(familyId, Date.now());
    if (!guardians.includes(toUserId)) throw new ServiceError('ROLE_CHANGE_FORBIDDEN');
    await this.families.updateMember(familyId, from.userId, { role: FAMILY_ROLE.GUARDIAN, ...FULL_GRANT });
    await this.families.updateMember(familyId, toUserId, { role: FAMILY_ROLE.OWNER, ...FULL_GRANT });
    // The unique constraint detects a family that the new owner creates concurrently.
    if (!(await this.families.changeOwner(familyId, toUserId))) throw new ServiceError('LIMIT_REACHED');
    await this.closeClaimOnTransfer(familyId, toUserId, actor);
    const payload = { familyId, fromUserId: from.userId, toUserId, time: Date.now() };
    await this.outbox.appendForFamily('userctx.family.transferred', payload);
  }

  /**
   * Marks the family as dissolved and ends all memberships. The caller must have deleted the children.
   * @param exceptUserId - a member who is not notified
   */
  async dissolve(familyId: string, actor: PrincipalKey, exceptUserId?: string): Promise<void> {
    const members = await this.families.findMembers(familyId);
    const memberUserIds = members.map(({ userId }) => userId).filter((userId) => userId !== exceptUserId);
    await this.withdrawOpenClaim(familyId);
    const time = Date.now();
    await this.families.removeMembers(familyId);
    await this.families.dissolve(familyId, time);
    await this.outbox.appendForFamily('userctx.family.dissolved', { familyId, by: actor, memberUserIds, time });
  }

  /**
   * Restores a family that this person dissolved, with the person as its only member. Does nothing if another person
   * dissolved the family.
   * @throws ServiceError LIMIT_REACHED when the person owns another family now
   */
  async restore(familyId: string, ownerUserId: string, identity: MemberIdentity): Promise<void> {
    await this.families.lock(familyId);
    if (!(await this.families.isDissolved(familyId, ownerUserId))) return;
    if (!(await this.families.restore(familyId))) throw new ServiceError('LIMIT_REACHED');
    const owner = { role: FAMILY_ROLE.OWNER, ...FULL_GRANT };
    await this.families.addMember({ familyId, userId: ownerUserId, ...owner, ...identity, joinedAt: Date.now() });
  }

  /** Permanently deletes a dissolved family, whose children the caller has erased. */
  async deleteDissolvedFamily(familyId: string): Promise<void> {
    await this.families.deleteDissolvedFamily(familyId);
  }

  /** Permanently deletes dissolved families whose children can no longer be restored. */
  @OnJob('userctx.families.erase-dissolved', { intervalMs: ERASURE_INTERVAL_MS })
  async deleteDissolved(now: number): Promise<void> {
    await this.families.deleteDissolved(now - CHILD_RESTORE_WINDOW_MS);
  }

  /** @returns the new claim, or undefined when the family already has an open claim */
  async createClaim(claim: NewClaim): Promise<OwnershipClaim | undefined> {
    if (!(await this.claims.add(claim))) return undefined;
    const created: OwnershipClaim = { ...claim, state: 'OPEN', endedAt: null, endedBy: null };
    await this.publishClaimChange(created, claim.createdAt, `user:${claim.claimantUserId}`);
    return created;
  }

  /**
   * Ends an open claim. Repeating the transition that ended the claim changes nothing.
   * @param actor null when the claim ends automatically
   * @returns false when the claim has already ended by another transition
   */
  async applyClaimTransition(
    claim: OwnershipClaim,
    transition: ClaimTransition,
    actor: PrincipalKey | null,
  ): Promise<boolean> {
    const state = nextClaimState(claim.state, transition);
    if (state === null) return false;
    const at = Date.now();
    if (state !== claim.state && (await this.claims.end(claim, state as ClaimEndState, { at, by: actor }))) {
      await this.publishClaimChange({ ...claim, state }, at, actor);
    }
    return true;
  }

  /** Withdraws the open claim of a person who is no longer a guardian. */
  async withdrawClaimOfMember(familyId: string, userId: string): Promise<void> {
    const claim = await this.claims.findOpen(familyId);
    if (claim?.claimantUserId === userId) await this.applyClaimTransition(claim, 'WITHDRAW', null);
  }

  /** Withdraws the open claim of a dissolved family. */
  private async withdrawOpenClaim(familyId: string): Promise<void> {
    const claim = await this.claims.findOpen(familyId);
    if (claim) await this.applyClaimTransition(claim, 'WITHDRAW', null);
  }

  /**
   * Closes the open claim when the owner transfers the family. The claim is granted if the new owner is the claimant,
   * otherwise refused.
   */
  async closeClaimOnTransfer(familyId: string, newOwnerUserId: string, actor: PrincipalKey): Promise<void> {
    const claim = await this.claims.findOpen(familyId);
    if (claim)
      await this.applyClaimTransition(claim, claim.claimantUserId === newOwnerUserId ? 'GRANT' : 'REFUSE', actor);
  }

  private async publishClaimChange(claim: OwnershipClaim, time: number, actor: PrincipalKey | null): Promise<void> {
    const { familyId, claimId, claimantUserId, state, deadline } = claim;
    const payload = { familyId, claimId, claimantUserId, state, by: actor, time, deadline };
    await this.outbox.appendForFamily('userctx.ownership-claim.changed', payload);
  }
}

/**
 * Returns the state after the transition. Repeating the transition that ended the claim returns the claim's state.
 * Returns null when the claim has already ended by another transition.
 */
function nextClaimState(state: OwnershipClaimState, transition: ClaimTransition): OwnershipClaimState | null {
  const end = CLAIM_END_STATES[transition];
  return state === OPEN || state === end ? end : null;
}
