import { Injectable } from '@nestjs/common';
import type { MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { FamilyRepository, type ChildLink } from './family.repository.js';
import {
  isAllowedForChild,
  isAllowedForFamily,
  WATCH_RULES,
  type ChildAction,
  type FamilyAction,
} from './permission-matrix.js';

/** A child for which the caller may perform the checked action. */
export interface ChildAccess extends ChildLink {
  /** The caller as a member of the child's family; null when the caller is the child's own watch. */
  member: MemberSnapshot | null;
}

export interface FamilyMemberAccess {
  familyId: string;
  member: MemberSnapshot;
}

/**
 * Overrides the error reason for an unknown child or family, for operations that look up the child or family by another
 * id, such as a fence id.
 */
interface NotFoundOptions {
  unknownReason?: ErrorReason;
}

/**
 * Decides what a caller may do in a family; all access checks go through this service. Objects of another family are
 * reported exactly like unknown ones. A member without the permission is rejected with PERMISSION_MISSING.
 *
 * A check inside a transaction locks the family until the transaction ends. While the family is locked, no member can
 * be removed from the family, and no child or watch can leave the family.
 */
@Injectable()
export class FamilyAccessService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly families: FamilyRepository,
  ) {}

  /** @throws ServiceError CHILD_NOT_FOUND (or `unknownReason`), PERMISSION_MISSING */
  async requireForChild(
    caller: Principal,
    cid: string,
    action: ChildAction,
    options: NotFoundOptions = {},
  ): Promise<ChildAccess> {
    const unknownReason = options.unknownReason ?? 'CHILD_NOT_FOUND';
    if (!isUuid(cid)) throw new ServiceError(unknownReason);
    return this.checkAccess(caller, await this.families.findLinkByChild(cid), action, unknownReason);
  }

  /**
   * Checks like {@link requireForChild} that the caller may act on the child to whom the watch is bound.
   * @throws ServiceError WATCH_NOT_FOUND (or `unknownReason`), PERMISSION_MISSING
   */
  async requireForWatch(
    caller: Principal,
    did: number,
    action: ChildAction,
    options: NotFoundOptions = {},
  ): Promise<ChildAccess> {
    return this.checkAccess(
      caller,
      await this.families.findLinkByWatch(did),
      action,
      options.unknownReason ?? 'WATCH_NOT_FOUND',
    );
  }

  /** Returns whether this person, who need not be the caller, may perform the action for the child. */
  async isAllowed(userId: string, cid: string, action: ChildAction): Promise<boolean> {
    const link = await this.families.findLinkByChild(cid);
    const member = link ? await this.families.findMember(link.familyId, userId) : null;
    return member !== null && isAllowedForChild(member, action, cid);
  }

  /** @throws ServiceError FAMILY_NOT_FOUND (or `unknownReason`), PERMISSION_MISSING */
  async requireForFamily(
    caller: Principal,
    familyId: string,
    action: FamilyAction,
    options: NotFoundOptions = {},
  ): Promise<FamilyMemberAccess> {
    const unknownReason = options.unknownReason ?? 'FAMILY_NOT_FOUND';
    if (caller.type !== 'user' || !isUuid(familyId)) throw new ServiceError(unknownReason);
    if (this.unitOfWork.isInTransaction) await this.families.lock(familyId);
    const member = await this.families.findMember(familyId, caller.id);
    if (!member) throw new ServiceError(unknownReason);
    if (!isAllowedForFamily(member, action)) throw new ServiceError('PERMISSION_MISSING');
    return { familyId, member };
  }

  private async checkAccess(
    caller: Principal,
    link: ChildLink | null,
    action: ChildAction,
    unknownReason: ErrorReason,
  ): Promise<ChildAccess> {
    if (!link) throw new ServiceError(unknownReason);
    if (caller.type === 'watch') {
      if (link.did !== Number(caller.id)) throw new ServiceError(unknownReason);
      if (!WATCH_RULES[action]) throw new ServiceError('PERMISSION_MISSING');
      return { ...link, member: null };
    }
    const member = caller.type === 'user' ? await this.families.findMember(link.familyId, caller.id) : null;
    if (!member) throw new ServiceError(unknownReason);
    if (!isAllowedForChild(member, action, link.cid)) throw new ServiceError('PERMISSION_MISSING');
    return { ...link, member };
  }
}
