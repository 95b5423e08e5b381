import { Injectable } from '@nestjs/common';
import type { MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import { isAllowedForChild, isAllowedForFamily, WATCH_RULES } from './permission-matrix.js';
import type { ChildAction, FamilyAction } from './permission-matrix.js';
import { FamilyLinkRepository } from './family-link.repository.js';
import type { ChildLink } from './child-link.js';
import { FamilyMemberRepository } from './family-member.repository.js';
import { FamilyRepository } from './family.repository.js';

/** A child that the caller may do something for. */
export interface ChildAccess extends ChildLink {
  /** The caller in the child's family; `null` when the child's own watch calls. */
  member: MemberSnapshot | null;
}

export interface FamilyMemberAccess {
  familyId: string;
  member: MemberSnapshot;
}

/** Which refusal says "there is no such thing", for who asked about another thing than the one that is looked up. */
interface Refusal {
  unknown?: ErrorReason;
}

/**
 * Who may do what in a family: the one place that decides it. What belongs to another family is answered exactly
 * like what does not exist; a member without the permission is told so.
 *
 * Called before a write inside its unit of work, the answer holds until the unit ends: the family is locked, so
 * nobody can be removed, and no child or watch leave, in between.
 */
@Injectable()
export class FamilyAccessService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly families: FamilyRepository,
    private readonly links: FamilyLinkRepository,
    private readonly members: FamilyMemberRepository,
  ) {}

  /** @throws ServiceError CHILD_NOT_FOUND (or `unknown`), PERMISSION_MISSING. */
  async requireForChild(
    caller: Principal,
    cid: string,
    action: ChildAction,
    refusal: Refusal = {},
  ): Promise<ChildAccess> {
    const unknown = refusal.unknown ?? 'CHILD_NOT_FOUND';
    if (!isUuid(cid)) throw new ServiceError(unknown);
    return this.decide(caller, await this.links.findByChild(cid), action, unknown);
  }

  /** The same by the watch that acts as the child. @throws ServiceError WATCH_NOT_FOUND (or `unknown`), PERMISSION_MISSING. */
  async requireForWatch(
    caller: Principal,
    did: number,
    action: ChildAction,
    refusal: Refusal = {},
  ): Promise<ChildAccess> {
    return this.decide(caller, await this.links.findByWatch(did), action, refusal.unknown ?? 'WATCH_NOT_FOUND');
  }

  /** May this person, who is not the caller, do this for the child? */
  async isAllowed(userId: string, cid: string, action: ChildAction): Promise<boolean> {
    const link = await this.links.findByChild(cid);
    const member = link ? await this.members.find(link.familyId, userId) : null;
    return member !== null && isAllowedForChild(member, action, cid);
  }

  /** @throws ServiceError FAMILY_NOT_FOUND (or `unknown`), PERMISSION_MISSING. */
  async requireForFamily(
    caller: Principal,
    familyId: string,
    action: FamilyAction,
    refusal: Refusal = {},
  ): Promise<FamilyMemberAccess> {
    const unknown = refusal.unknown ?? 'FAMILY_NOT_FOUND';
    if (caller.type !== 'user' || !isUuid(familyId)) throw new ServiceError(unknown);
    if (this.unitOfWork.isOpen) await this.families.lock(familyId);
    const member = await this.members.find(familyId, caller.id);
    if (!member) throw new ServiceError(unknown);
    if (!isAllowedForFamily(member, action)) throw new ServiceError('PERMISSION_MISSING');
    return { familyId, member };
  }

  private async decide(
    caller: Principal,
    link: ChildLink | null,
    action: ChildAction,
    unknown: ErrorReason,
  ): Promise<ChildAccess> {
    if (!link) throw new ServiceError(unknown);
    if (caller.type === 'watch') {
      if (link.did !== Number(caller.id)) throw new ServiceError(unknown);
      if (!WATCH_RULES[action]) throw new ServiceError('PERMISSION_MISSING');
      return { ...link, member: null };
    }
    const member = caller.type === 'user' ? await this.members.find(link.familyId, caller.id) : null;
    if (!member) throw new ServiceError(unknown);
    if (!isAllowedForChild(member, action, link.cid)) throw new ServiceError('PERMISSION_MISSING');
    return { ...link, member };
  }
}
