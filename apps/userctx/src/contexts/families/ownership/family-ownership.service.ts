import { Injectable } from '@nestjs/common';
import { CHILD_PERMISSION, FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxOutbox } from '../../../infrastructure/userctx.outbox.js';
import { FamilyMemberRepository } from '../family-member.repository.js';
import { FamilyRepository } from '../family.repository.js';
import type { MemberIdentity } from '../family-roster.service.js';
import { OwnershipClaimsService } from './ownership-claims.service.js';

/** What an owner is given and keeps as a guardian: all there is, for every child. */
const EVERYTHING = { permissions: Object.values(CHILD_PERMISSION), childPermissions: {} };

/**
 * Whose a family is. Changed in the caller's unit of work with the family locked; whoever changes it also publishes
 * the family's snapshot and brings the contacts in step.
 */
@Injectable()
export class FamilyOwnershipService {
  constructor(
    private readonly families: FamilyRepository,
    private readonly members: FamilyMemberRepository,
    private readonly claims: OwnershipClaimsService,
    private readonly outbox: UserctxOutbox,
  ) {}

  /** A person owns one family at most. */
  async ownsFamily(userId: string): Promise<boolean> {
    return (await this.families.findOwnedBy(userId)) !== null;
  }

  /**
   * The family gets another owner, and the one before becomes a guardian with every permission.
   * @throws ServiceError MEMBER_NOT_FOUND; ROLE_CHANGE_FORBIDDEN for who is no guardian; LIMIT_REACHED for who owns a
   * family.
   */
  async transfer(familyId: string, toUserId: string, by: PrincipalKey): Promise<void> {
    const members = await this.members.findByFamily(familyId);
    const from = members.find(({ role }) => role === FAMILY_ROLE.OWNER);
    const to = members.find(({ userId }) => userId === toUserId);
    if (!from) throw new Error('A family without an owner');
    if (!to) throw new ServiceError('MEMBER_NOT_FOUND');
    if (to.role !== FAMILY_ROLE.GUARDIAN) throw new ServiceError('ROLE_CHANGE_FORBIDDEN');
    if (await this.ownsFamily(toUserId)) throw new ServiceError('LIMIT_REACHED');
    await this.members.update(familyId, from.userId, { role: FAMILY_ROLE.GUARDIAN, ...EVERYTHING });
    await this.members.update(familyId, toUserId, { role: FAMILY_ROLE.OWNER, ...EVERYTHING });
    // The look above sees no family that is being made at the same moment: the constraint does.
    if (!(await this.families.changeOwner(familyId, toUserId))) throw new ServiceError('LIMIT_REACHED');
    await this.claims.closeOnTransfer(familyId, toUserId, by);
    const payload = { familyId, fromUserId: from.userId, toUserId, time: Date.now() };
    await this.outbox.append({ name: 'userctx.family.transferred', key: familyId, payload });
  }

  /** Every membership ends. The children have been deleted before. */
  async dissolve(familyId: string, by: PrincipalKey): Promise<void> {
    const memberUserIds = (await this.members.findByFamily(familyId)).map(({ userId }) => userId);
    await this.claims.closeAll(familyId);
    const time = Date.now();
    await this.members.removeAll(familyId);
    await this.families.dissolve(familyId, time);
    const payload = { familyId, by, memberUserIds, time };
    await this.outbox.append({ name: 'userctx.family.dissolved', key: familyId, payload });
  }

  /**
   * Brings back a family that this person dissolved, with nobody else in it; does nothing for any other family.
   * @throws ServiceError LIMIT_REACHED when the person owns another one meanwhile.
   */
  async restore(familyId: string, ownerUserId: string, card: MemberIdentity): Promise<void> {
    await this.families.lock(familyId);
    if (!(await this.families.isDissolved(familyId, ownerUserId))) return;
    if (!(await this.families.restore(familyId))) throw new ServiceError('LIMIT_REACHED');
    const owner = { role: FAMILY_ROLE.OWNER, ...EVERYTHING };
    await this.members.add({ familyId, userId: ownerUserId, ...owner, ...card, joinedAt: Date.now() });
  }
}
