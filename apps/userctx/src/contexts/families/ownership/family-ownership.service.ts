import { Injectable } from '@nestjs/common';
import { CHILD_RESTORE_WINDOW_MS } from '@family-watch/domain/children/contracts/child';
import { CHILD_PERMISSION, FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxOutbox } from '../../../infrastructure/userctx-infrastructure.js';
import { FamilyMemberRepository } from '../family-member.repository.js';
import type { MemberIdentity } from '../family-roster.service.js';
import { FamilyRepository } from '../family.repository.js';
import { OwnershipClaimsService } from './ownership-claims.service.js';

const ERASURE_INTERVAL_MS = 60_000;

/** Every permission for every child: the grant of an owner, and of a former owner who becomes a guardian. */
const FULL_GRANT = { permissions: Object.values(CHILD_PERMISSION), childPermissions: {} };

/**
 * Manages the ownership of families. Changes must be made in the caller's transaction with the family locked. The
 * caller must also publish the family snapshot and synchronize the contacts.
 */
@Injectable()
export class FamilyOwnershipService {
  constructor(
    private readonly families: FamilyRepository,
    private readonly members: FamilyMemberRepository,
    private readonly claims: OwnershipClaimsService,
    private readonly outbox: UserctxOutbox,
  ) {}

  /** Returns whether this person owns a family. A person owns at most one family. */
  async ownsFamily(userId: string): Promise<boolean> {
    return (await this.families.findOwnedBy(userId)) !== null;
  }

  /**
   * Transfers the family to another owner. The previous owner becomes a guardian with every permission.
   * @throws ServiceError MEMBER_NOT_FOUND
   * @throws ServiceError ROLE_CHANGE_FORBIDDEN when the member is not a guardian
   * @throws ServiceError LIMIT_REACHED when the member owns a family
   */
  async transfer(familyId: string, toUserId: string, actor: PrincipalKey): Promise<void> {
    const members = await this.members.findByFamily(familyId);
    const from = members.find(({ role }) => role === FAMILY_ROLE.OWNER);
    const to = members.find(({ userId }) => userId === toUserId);
    if (!from) throw new Error('The family has no owner');
    if (!to) throw new ServiceError('MEMBER_NOT_FOUND');
    if (to.role !== FAMILY_ROLE.GUARDIAN) throw new ServiceError('ROLE_CHANGE_FORBIDDEN');
    if (await this.ownsFamily(toUserId)) throw new ServiceError('LIMIT_REACHED');
    await this.members.update(familyId, from.userId, { role: FAMILY_ROLE.GUARDIAN, ...FULL_GRANT });
    await this.members.update(familyId, toUserId, { role: FAMILY_ROLE.OWNER, ...FULL_GRANT });
    // The unique constraint detects a family that the new owner creates concurrently.
    if (!(await this.families.changeOwner(familyId, toUserId))) throw new ServiceError('LIMIT_REACHED');
    await this.claims.closeOnTransfer(familyId, toUserId, actor);
    const payload = { familyId, fromUserId: from.userId, toUserId, time: Date.now() };
    await this.outbox.append({ name: 'userctx.family.transferred', key: familyId, payload });
  }

  /** Ends all memberships. The caller must have deleted the children. */
  async dissolve(familyId: string, actor: PrincipalKey): Promise<void> {
    const memberUserIds = (await this.members.findByFamily(familyId)).map(({ userId }) => userId);
    await this.claims.closeAll(familyId);
    const time = Date.now();
    await this.members.removeAll(familyId);
    await this.families.dissolve(familyId, time);
    const payload = { familyId, by: actor, memberUserIds, time };
    await this.outbox.append({ name: 'userctx.family.dissolved', key: familyId, payload });
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
    await this.members.add({ familyId, userId: ownerUserId, ...owner, ...identity, joinedAt: Date.now() });
  }

  /** Permanently deletes dissolved families whose children can no longer be restored. */
  @OnJob('userctx.families.erase-dissolved', { intervalMs: ERASURE_INTERVAL_MS })
  async eraseDissolved(now: number): Promise<void> {
    await this.families.deleteDissolved(now - CHILD_RESTORE_WINDOW_MS);
  }
}
