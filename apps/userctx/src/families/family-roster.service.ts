import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IDENTITY_TYPE } from '@family-watch/domain/families/contracts/contact';
import { FAMILY_LIMITS } from '@family-watch/domain/families/contracts/family';
import { FAMILY_ROLE, effectivePermissions } from '@family-watch/domain/families/contracts/family-role';
import type { FamilyMemberEntity, FamilyEntity } from '@family-watch/domain/families/entities/family.entities';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { AccountService } from '../accounts/account.service.js';
import { FamilyOwnershipService, FULL_GRANT } from './family-ownership.service.js';
import { FamilySnapshotsService } from './family-snapshots.service.js';
import { FamilyRepository, type ChildLink, type MemberIdentity } from './family.repository.js';

export type { ChildKey, ChildLink, MemberIdentity } from './family.repository.js';

/** Role and permissions of a member, as the owner chose them. */
export type MemberGrant = Pick<FamilyMemberEntity, 'role' | 'permissions' | 'childPermissions'>;

/** Name of a new family until its owner renames it. */
const DEFAULT_FAMILY_NAME = 'Family';

/** The profile of a person who becomes a member. */
export interface MemberProfile {
  identity: MemberIdentity;
  /** IANA name of the person's time zone, which is the default for new children. */
  timeZone: string;
}

/**
 * Manages members, children and watches of families. Changes must be made in the caller's transaction with the family
 * locked. The caller must also synchronize the contacts, and publish the family snapshot unless the method publishes
 * it. The open ownership claim of a member who is no longer a guardian is withdrawn.
 */
@Injectable()
export class FamilyRosterService {
  constructor(
    private readonly families: FamilyRepository,
    private readonly ownership: FamilyOwnershipService,
    private readonly snapshots: FamilySnapshotsService,
    private readonly accounts: AccountService,
  ) {}

  /** Returns the family that this person owns and locks it until commit. Creates the family if there is none. */
  async findOrCreateOwnedFamily(ownerUserId: string, identity: MemberIdentity): Promise<string> {
    const joinedAt = Date.now();
    const familyId = randomUUID();
    const isNew = await this.families.insertIfAbsent({
      familyId,
      ownerUserId,
      name: DEFAULT_FAMILY_NAME,
      createdAt: joinedAt,
    });
    if (isNew) {
      const owner = { role: FAMILY_ROLE.OWNER, ...FULL_GRANT };
      await this.families.addMember({ familyId, userId: ownerUserId, ...owner, ...identity, joinedAt });
    }
    // The existing family may have been transferred or dissolved while this transaction waited for its lock.
    return (await this.families.lockOwnedBy(ownerUserId)) ?? this.findOrCreateOwnedFamily(ownerUserId, identity);
  }

  /** Locks the family until commit, for callers that have not locked it through an access check. */
  async lock(familyId: string): Promise<void> {
    await this.families.lock(familyId);
  }

  findMembers(familyId: string): Promise<FamilyMemberEntity[]> {
    return this.families.findMembers(familyId);
  }

  findChildren(familyId: string): Promise<ChildLink[]> {
    return this.families.findLinks(familyId);
  }

  /** @throws ServiceError LIMIT_REACHED */
  async addChild(familyId: string, cid: string): Promise<void> {
    if ((await this.families.countChildren(familyId)) >= FAMILY_LIMITS.children)
      throw new ServiceError('LIMIT_REACHED');
    await this.families.addChild(familyId, cid, Date.now());
  }

  /** Removes a child, which also unbinds its watch. */
  async removeChild(familyId: string, cid: string): Promise<void> {
    await this.families.removeChild(familyId, cid);
  }

  async isMember(familyId: string, userId: string): Promise<boolean> {
    return (await this.families.findMember(familyId, userId)) !== null;
  }

  /** @throws ServiceError ALREADY_MEMBER, LIMIT_REACHED */
  async addMember(familyId: string, userId: string, grant: MemberGrant, identity: MemberIdentity): Promise<void> {
    if (await this.families.findMember(familyId, userId)) throw new ServiceError('ALREADY_MEMBER');
    if ((await this.families.countMembers(familyId)) >= FAMILY_LIMITS.members) throw new ServiceError('LIMIT_REACHED');
    await this.families.addMember({
      familyId,
      userId,
      ...(await this.toEffectiveGrant(familyId, grant)),
      ...identity,
      joinedAt: Date.now(),
    });
  }

  /**
   * Changes role or permissions of a member. Omitted fields are unchanged, except for permissions that the new role
   * does not allow.
   * @throws ServiceError MEMBER_NOT_FOUND
   * @throws ServiceError ROLE_CHANGE_FORBIDDEN for the owner's role and for a second owner
   */
  async updateMember(familyId: string, userId: string, change: Partial<MemberGrant>): Promise<void> {
    const member = await this.families.findMember(familyId, userId);
    if (!member) throw new ServiceError('MEMBER_NOT_FOUND');
    const role = change.role ?? member.role;
    if (member.role === FAMILY_ROLE.OWNER || role === FAMILY_ROLE.OWNER)
      throw new ServiceError('ROLE_CHANGE_FORBIDDEN');
    const grant = {
      role,
      permissions: change.permissions ?? member.permissions,
      childPermissions: change.childPermissions ?? member.childPermissions,
    };
    await this.families.updateMember(familyId, userId, await this.toEffectiveGrant(familyId, grant));
    if (role !== FAMILY_ROLE.GUARDIAN) await this.ownership.withdrawClaimOfMember(familyId, userId);
  }

  /** Returns the families that this person belongs to, with the person's role. */
  async listFamilies(userId: string): Promise<(FamilyEntity & Pick<FamilyMemberEntity, 'role'>)[]> {
    const roles = new Map((await this.families.findMemberships(userId)).map(({ familyId, role }) => [familyId, role]));
    const families = await this.families.findAll([...roles.keys()]);
    return families.flatMap((family) => {
      const role = roles.get(family.familyId);
      return role ? [{ ...family, role }] : [];
    });
  }

  /** Renames the family and publishes its snapshot. */
  async rename(familyId: string, name: string): Promise<void> {
    await this.families.rename(familyId, name);
    await this.snapshots.publish(familyId);
  }

  /** Returns the families, including dissolved ones; ids without a family are omitted. */
  findNames(familyIds: string[]): Promise<Pick<FamilyEntity, 'familyId' | 'name'>[]> {
    return this.families.findAll(familyIds);
  }

  /** Returns the ids of the families that this person belongs to. */
  async findFamilies(userId: string): Promise<string[]> {
    return (await this.families.findMemberships(userId)).map(({ familyId }) => familyId);
  }

  /** Updates name and number of a member and locks the family. Returns false when the person is no longer a member. */
  async updateMemberIdentity(familyId: string, userId: string, identity: MemberIdentity): Promise<boolean> {
    await this.families.lock(familyId);
    if (!(await this.families.findMember(familyId, userId))) return false;
    const { name, areaCode, phoneNumber } = identity;
    await this.families.updateMemberIdentity(familyId, userId, { name, areaCode, phoneNumber });
    return true;
  }

  /**
   * Removes a member and withdraws the member's open ownership claim.
   * @throws ServiceError MEMBER_NOT_FOUND
   * @throws ServiceError ROLE_CHANGE_FORBIDDEN for the owner, who cannot be removed
   */
  async removeMember(familyId: string, userId: string): Promise<void> {
    const member = await this.families.findMember(familyId, userId);
    if (!member) throw new ServiceError('MEMBER_NOT_FOUND');
    if (member.role === FAMILY_ROLE.OWNER) throw new ServiceError('ROLE_CHANGE_FORBIDDEN');
    await this.families.removeMember(familyId, userId);
    await this.ownership.withdrawClaimOfMember(familyId, userId);
  }

  /** @throws ServiceError CHILD_NOT_FOUND unless every child that `childPermissions` names belongs to the family */
  async assertChildrenInFamily(
    familyId: string,
    childPermissions: MemberGrant['childPermissions'] = {},
  ): Promise<void> {
    const cids = (await this.families.findLinks(familyId)).map(({ cid }) => cid);
    if (Object.keys(childPermissions).some((cid) => !cids.includes(cid))) throw new ServiceError('CHILD_NOT_FOUND');
  }

  /**
   * Returns the child that this watch acts for, or null for an unbound watch. Inside a transaction, locks the family.
   */
  findChildOfWatch(did: number): Promise<ChildLink | null> {
    return this.families.findLinkByWatch(did);
  }

  /**
   * Returns the child's family and watch, or null when the child does not exist. Inside a transaction, locks the
   * family.
   */
  findChild(cid: string): Promise<ChildLink | null> {
    return this.families.findLinkByChild(cid);
  }

  /**
   * Binds a watch to the child and publishes the family snapshot. A child has at most one watch and a watch at most one
   * child.
   * @throws ServiceError CHILD_HAS_WATCH
   * @throws ServiceError WATCH_ALREADY_BOUND when the watch is bound to another child
   */
  async bindWatch(familyId: string, cid: string, did: number): Promise<void> {
    const outcome = await this.families.setWatch(familyId, cid, did);
    if (outcome === 'WATCH_TAKEN') throw new ServiceError('WATCH_ALREADY_BOUND');
    if (outcome === 'CHILD_HAS_WATCH') throw new ServiceError('CHILD_HAS_WATCH');
    await this.snapshots.publish(familyId);
  }

  /** Unbinds the child's watch and publishes the family snapshot. */
  async unbindWatch(familyId: string, cid: string): Promise<void> {
    await this.families.clearWatch(familyId, cid);
    await this.snapshots.publish(familyId);
  }

  /**
   * Returns the profile of a person who becomes a member. Must be called in the transaction that adds the member, before
   * the family is locked, so that the account is not erased meanwhile.
   * @throws ServiceError TOKEN_REVOKED when the account no longer exists, while an access token of the account is still
   * valid
   */
  async getProfile(userId: string): Promise<MemberProfile> {
    const profile = await this.findProfile(userId);
    if (!profile) throw new ServiceError('TOKEN_REVOKED');
    return profile;
  }

  async findProfile(userId: string): Promise<MemberProfile | null> {
    const profile = await this.accounts.findProfile(userId);
    if (!profile) return null;
    const { nickname: name, areaCode, phoneNumber, timeZone } = profile;
    const identity = { name, areaCode, phoneNumber, appellation: name, identityType: IDENTITY_TYPE.CUSTOM };
    return { identity, timeZone };
  }

  /** Removes permissions that the role does not allow, and permissions for children of other families. */
  private async toEffectiveGrant(
    familyId: string,
    { role, permissions, childPermissions }: MemberGrant,
  ): Promise<MemberGrant> {
    const cids = (await this.families.findLinks(familyId)).map(({ cid }) => cid);
    const childEntries = cids.flatMap((cid) => {
      const granted = childPermissions[cid];
      return granted ? [[cid, effectivePermissions(role, granted)] as const] : [];
    });
    return {
      role,
      permissions: effectivePermissions(role, permissions),
      childPermissions: Object.fromEntries(childEntries),
    };
  }
}
