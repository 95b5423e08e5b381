import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FAMILY_LIMITS } from '@family-watch/domain/families/contracts/family-limits';
import { CHILD_PERMISSION, FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { ChildPermission, FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import { effectivePermissions } from '@family-watch/domain/families/contracts/effective-permissions';
import type { FamilyMemberEntity } from '@family-watch/domain/families/entities/family-member.entity';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { FamilyLinkRepository } from './family-link.repository.js';
import type { ChildLink } from './child-link.js';
import { FamilyMemberRepository } from './family-member.repository.js';
import { FamilyRepository } from './family.repository.js';
import { OwnershipClaimsService } from './ownership/ownership-claims.service.js';

/** Name and number that a member brings into the family: what the watches show. */
export type MemberIdentity = Pick<
  FamilyMemberEntity,
  'name' | 'areaCode' | 'phoneNumber' | 'appellation' | 'identityType'
>;

/** Role and permissions as the owner chose them. */
export interface MemberGrant {
  role: FamilyRole;
  permissions: ChildPermission[];
  childPermissions: Record<string, ChildPermission[]>;
}

/** A new family is called this until its owner gives it a name. */
const FIRST_NAME = 'Family';

/**
 * Members and children of families, changed inside the caller's unit of work with the family locked. Whoever changes
 * them also brings the contacts in step and publishes the family's snapshot. Who is no guardian any more loses a claim
 * of the family.
 */
@Injectable()
export class FamilyRosterService {
  constructor(
    private readonly families: FamilyRepository,
    private readonly members: FamilyMemberRepository,
    private readonly links: FamilyLinkRepository,
    private readonly claims: OwnershipClaimsService,
  ) {}

  /** The family that this person owns, made now if there is none; locked until the unit ends. */
  async findOrCreateOwnedFamily(ownerUserId: string, card: MemberIdentity): Promise<string> {
    const joinedAt = Date.now();
    const familyId = randomUUID();
    const made = await this.families.insertIfAbsent({ familyId, ownerUserId, name: FIRST_NAME, createdAt: joinedAt });
    if (made) {
      const owner = { role: FAMILY_ROLE.OWNER, permissions: Object.values(CHILD_PERMISSION), childPermissions: {} };
      await this.members.add({ familyId, userId: ownerUserId, ...owner, ...card, joinedAt });
    }
    // The family that was met may have got another owner, or none, while its lock was waited for.
    return (await this.families.lockOwnedBy(ownerUserId)) ?? this.findOrCreateOwnedFamily(ownerUserId, card);
  }

  /** Keeps the family as it is until the unit ends, for whoever has no standing in it yet. */
  async lock(familyId: string): Promise<void> {
    await this.families.lock(familyId);
  }

  findMembers(familyId: string): Promise<FamilyMemberEntity[]> {
    return this.members.findByFamily(familyId);
  }

  findChildren(familyId: string): Promise<ChildLink[]> {
    return this.links.findByFamily(familyId);
  }

  /** @throws ServiceError LIMIT_REACHED. */
  async addChild(familyId: string, cid: string): Promise<void> {
    if ((await this.links.countByFamily(familyId)) >= FAMILY_LIMITS.children) throw new ServiceError('LIMIT_REACHED');
    await this.links.add(familyId, cid, Date.now());
  }

  /** The child's watch is not bound any more. */
  async removeChild(familyId: string, cid: string): Promise<void> {
    await this.links.remove(familyId, cid);
  }

  async isMember(familyId: string, userId: string): Promise<boolean> {
    return (await this.members.find(familyId, userId)) !== null;
  }

  /** @throws ServiceError ALREADY_MEMBER, LIMIT_REACHED. */
  async addMember(familyId: string, userId: string, grant: MemberGrant, card: MemberIdentity): Promise<void> {
    if (await this.members.find(familyId, userId)) throw new ServiceError('ALREADY_MEMBER');
    if ((await this.members.countByFamily(familyId)) >= FAMILY_LIMITS.members) throw new ServiceError('LIMIT_REACHED');
    await this.members.add({
      familyId,
      userId,
      ...(await this.bounded(familyId, grant)),
      ...card,
      joinedAt: Date.now(),
    });
  }

  /**
   * Gives a member another role or other permissions; what is absent stays, as far as the role allows it.
   * @throws ServiceError MEMBER_NOT_FOUND; ROLE_CHANGE_FORBIDDEN for the owner's role and for a second owner.
   */
  async updateMember(familyId: string, userId: string, change: Partial<MemberGrant>): Promise<void> {
    const member = await this.members.find(familyId, userId);
    if (!member) throw new ServiceError('MEMBER_NOT_FOUND');
    const role = change.role ?? member.role;
    if (member.role === FAMILY_ROLE.OWNER || role === FAMILY_ROLE.OWNER)
      throw new ServiceError('ROLE_CHANGE_FORBIDDEN');
    const grant = {
      role,
      permissions: change.permissions ?? member.permissions,
      childPermissions: change.childPermissions ?? member.childPermissions,
    };
    await this.members.update(familyId, userId, await this.bounded(familyId, grant));
    if (role !== FAMILY_ROLE.GUARDIAN) await this.claims.withdrawFor(familyId, userId);
  }

  /** The families that this person belongs to. */
  async findFamilies(userId: string): Promise<string[]> {
    return (await this.members.findByUser(userId)).map(({ familyId }) => familyId);
  }

  /** Name and number of a person are new. False when the person is no member any more; else the family is locked. */
  async updateMemberIdentity(familyId: string, userId: string, card: MemberIdentity): Promise<boolean> {
    await this.families.lock(familyId);
    if (!(await this.members.find(familyId, userId))) return false;
    const { name, areaCode, phoneNumber } = card;
    await this.members.updateIdentity(familyId, userId, { name, areaCode, phoneNumber });
    return true;
  }

  /** @throws ServiceError MEMBER_NOT_FOUND; ROLE_CHANGE_FORBIDDEN for the owner. */
  async removeMember(familyId: string, userId: string): Promise<void> {
    const member = await this.members.find(familyId, userId);
    if (!member) throw new ServiceError('MEMBER_NOT_FOUND');
    if (member.role === FAMILY_ROLE.OWNER) throw new ServiceError('ROLE_CHANGE_FORBIDDEN');
    await this.members.remove(familyId, userId);
    await this.claims.withdrawFor(familyId, userId);
  }

  /** What the role allows of the grant, for the children that the family has. */
  private async bounded(familyId: string, { role, permissions, childPermissions }: MemberGrant): Promise<MemberGrant> {
    const cids = (await this.links.findByFamily(familyId)).map(({ cid }) => cid);
    const own = cids.flatMap((cid) => {
      const given = childPermissions[cid];
      return given ? [[cid, effectivePermissions(role, given)] as const] : [];
    });
    return { role, permissions: effectivePermissions(role, permissions), childPermissions: Object.fromEntries(own) };
  }
}
