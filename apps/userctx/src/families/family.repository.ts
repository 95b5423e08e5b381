import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThanOrEqual, MoreThan, Not, type FindOptionsWhere } from 'typeorm';
import {
  FamilyEntity,
  FamilyMemberEntity,
  FamilyChildEntity,
} from '@family-watch/domain/families/entities/family.entities';
import type { SnapshotVersion } from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { findTimePage, insertIfAbsent } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { violatedUniqueConstraint } from '@family-watch/platform/errors/database-errors';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';

const INCREMENT_FAMILY_VERSION = `
  UPDATE userctx.family SET version = version + 1 WHERE family_id = $1
  RETURNING version, owner_user_id AS "ownerUserId", dissolved_at IS NOT NULL AS dissolved`;

/**
 * A suspended person cannot act, and a person whose own deletion is due ($2, Unix milliseconds) is about to be erased.
 * Who has requested the deletion may still cancel it.
 */
const FIND_ACTIVE_GUARDIANS = `
  SELECT member.user_id AS "userId"
    FROM userctx.family_member member
    JOIN userctx.account account ON account.user_id = member.user_id AND account.suspended_at IS NULL
    LEFT JOIN userctx.account_deletion deletion ON deletion.user_id = member.user_id
   WHERE member.family_id = $1 AND member.role = ${FAMILY_ROLE.GUARDIAN}
     AND (deletion.erase_at IS NULL OR deletion.erase_at > $2)
   ORDER BY deletion.erase_at IS NOT NULL, member.joined_at, member.user_id`;

/** Version, owner and state of a family, as published in its snapshot. */
export type FamilyVersion = Pick<FamilyEntity, 'version' | 'ownerUserId'> & { dissolved: boolean };

/** Name and number of a member in the family, as the watches show them. */
export type MemberIdentity = Pick<
  FamilyMemberEntity,
  'name' | 'areaCode' | 'phoneNumber' | 'appellation' | 'identityType'
>;

/** A child with its family and the watch that acts for the child. */
export type ChildLink = Omit<FamilyChildEntity, 'addedAt'>;

/** Which families a page contains. */
export interface FamilySelection {
  familyId?: string;
  dissolved?: boolean;
}

export type ChildKey = Pick<ChildLink, 'familyId' | 'cid'>;

/**
 * Stores families with their members and children, and the watches that act for the children. Inside a transaction, the
 * lookups of a child or watch also lock the family, so that their results stay valid until the transaction ends.
 */
@Injectable()
export class FamilyRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findAll(familyIds: string[]): Promise<FamilyEntity[]> {
    return this.families.find({ where: { familyId: In(familyIds) }, order: { createdAt: 'ASC', familyId: 'ASC' } });
  }

  /** Returns a page of families, the newest first. @param selection - all families, or those in a state, or one */
  findPage({ familyId, dissolved }: FamilySelection, page: TimePageRequest): Promise<Page<FamilyEntity>> {
    const filter = {
      ...(familyId !== undefined && { familyId }),
      ...(dissolved !== undefined && { dissolvedAt: dissolved ? Not(IsNull()) : IsNull() }),
    };
    return findTimePage(this.families, filter, { time: 'createdAt', id: 'familyId' }, page);
  }

  /** Creates the person's family unless the person owns one. Returns whether the family was created. */
  insertIfAbsent(family: Pick<FamilyEntity, 'familyId' | 'ownerUserId' | 'name' | 'createdAt'>): Promise<boolean> {
    return insertIfAbsent(this.families, family);
  }

  /** Locks the family until commit. Every change of a family must lock the family first. */
  async lock(familyId: string): Promise<void> {
    this.unitOfWork.takeTurn(familyId);
    await this.findLocked({ familyId });
  }

  /** Returns the family that this person owns and locks it until commit. */
  async lockOwnedBy(ownerUserId: string): Promise<string | null> {
    const familyId = await this.findOwnedBy(ownerUserId);
    if (familyId) this.unitOfWork.takeTurn(familyId);
    const family = await this.findLocked({ ownerUserId, dissolvedAt: IsNull() });
    return family?.familyId ?? null;
  }

  async findOwnedBy(ownerUserId: string): Promise<string | null> {
    const family = await this.families.findOneBy({ ownerUserId, dissolvedAt: IsNull() });
    return family?.familyId ?? null;
  }

  /** Returns the dissolved families that this person owned. */
  async findDissolvedBy(ownerUserId: string): Promise<string[]> {
    const families = await this.families.findBy({ ownerUserId, dissolvedAt: Not(IsNull()) });
    return families.map(({ familyId }) => familyId);
  }

  /** Returns false when the new owner already owns a family. */
  changeOwner(familyId: string, ownerUserId: string): Promise<boolean> {
    return this.updateUnlessSecondFamily({ familyId }, { ownerUserId });
  }

  async dissolve(familyId: string, dissolvedAt: number): Promise<void> {
    await this.families.update({ familyId, dissolvedAt: IsNull() }, { dissolvedAt });
  }

  /** Returns whether the family is dissolved and was owned by this person. */
  isDissolved(familyId: string, ownerUserId: string): Promise<boolean> {
    return this.families.existsBy({ familyId, ownerUserId, dissolvedAt: Not(IsNull()) });
  }

  /**
   * Restores a dissolved family. Returns false when the former owner of the dissolved family owns another family now.
   */
  restore(familyId: string): Promise<boolean> {
    return this.updateUnlessSecondFamily({ familyId, dissolvedAt: Not(IsNull()) }, { dissolvedAt: null });
  }

  /** Permanently deletes families that were dissolved at `dissolvedUntil` (Unix milliseconds) or earlier. */
  async deleteDissolved(dissolvedUntil: number): Promise<void> {
    await this.families.delete({ dissolvedAt: LessThanOrEqual(dissolvedUntil) });
  }

  async deleteDissolvedFamily(familyId: string): Promise<void> {
    await this.families.delete({ familyId, dissolvedAt: Not(IsNull()) });
  }

  async rename(familyId: string, name: string): Promise<void> {
    await this.families.update({ familyId }, { name });
  }

  /** Increments the family's version. Returns null when the family does not exist. */
  async nextVersion(familyId: string): Promise<FamilyVersion | null> {
    const [family] = await this.unitOfWork.executor.query<FamilyVersion>(INCREMENT_FAMILY_VERSION, [familyId]);
    return family ?? null;
  }

  /** Returns the versions of these families; a family that was never published is omitted. */
  async findVersions(familyIds: readonly string[]): Promise<(FamilyVersion & { familyId: string })[]> {
    const families = await this.families.findBy({ familyId: In(familyIds), version: MoreThan(0) });
    return families.map(({ familyId, version, ownerUserId, dissolvedAt }) => ({
      familyId,
      version,
      ownerUserId,
      dissolved: dissolvedAt !== null,
    }));
  }

  /** Returns the versions of at most `limit` published families with ids greater than `after`, in id order. */
  async listVersions(after: string | null, limit: number): Promise<SnapshotVersion[]> {
    const families = await this.families.find({
      select: { familyId: true, version: true },
      where: { version: MoreThan(0), ...(after === null ? {} : { familyId: MoreThan(after) }) },
      order: { familyId: 'ASC' },
      take: limit,
    });
    return families.map(({ familyId: id, version }) => ({ id, version }));
  }

  findMember(familyId: string, userId: string): Promise<FamilyMemberEntity | null> {
    return this.members.findOneBy({ familyId, userId });
  }

  findMembers(familyId: string): Promise<FamilyMemberEntity[]> {
    return this.members.find({ where: { familyId }, order: { role: 'ASC', joinedAt: 'ASC', userId: 'ASC' } });
  }

  /** Returns the members of the families, of each family the owner first. */
  findMembersOfAll(familyIds: readonly string[]): Promise<Pick<FamilyMemberEntity, 'familyId' | 'userId' | 'role'>[]> {
    return this.members.find({
      select: { familyId: true, userId: true, role: true },
      where: { familyId: In(familyIds) },
      order: { role: 'ASC', joinedAt: 'ASC', userId: 'ASC' },
    });
  }

  /** Returns the memberships of the persons. */
  findMembershipsOfAll(
    userIds: readonly string[],
  ): Promise<Pick<FamilyMemberEntity, 'familyId' | 'userId' | 'role'>[]> {
    return this.members.find({
      select: { familyId: true, userId: true, role: true },
      where: { userId: In(userIds) },
      order: { joinedAt: 'ASC', familyId: 'ASC' },
    });
  }

  /**
   * Returns the guardians who can take over the family at `now` (Unix milliseconds), in the order in which they joined;
   * those who have requested the deletion of their account come last.
   */
  async findActiveGuardians(familyId: string, now: number): Promise<string[]> {
    const found = await this.unitOfWork.executor.query<{ userId: string }>(FIND_ACTIVE_GUARDIANS, [familyId, now]);
    return found.map(({ userId }) => userId);
  }

  findMemberships(userId: string): Promise<FamilyMemberEntity[]> {
    return this.members.find({ where: { userId }, order: { joinedAt: 'ASC', familyId: 'ASC' } });
  }

  countMembers(familyId: string): Promise<number> {
    return this.members.countBy({ familyId });
  }

  async addMember(member: Omit<FamilyMemberEntity, 'version'>): Promise<void> {
    await this.members.insert({ ...member, version: 1 });
  }

  async updateMember(
    familyId: string,
    userId: string,
    change: Pick<FamilyMemberEntity, 'role' | 'permissions' | 'childPermissions'>,
  ): Promise<void> {
    await this.members.update({ familyId, userId }, { ...change, version: () => 'version + 1' });
  }

  async updateMemberIdentity(
    familyId: string,
    userId: string,
    identity: Pick<FamilyMemberEntity, 'name' | 'areaCode' | 'phoneNumber'>,
  ): Promise<void> {
    await this.members.update({ familyId, userId }, identity);
  }

  async removeMember(familyId: string, userId: string): Promise<void> {
    await this.members.delete({ familyId, userId });
  }

  async removeMembers(familyId: string): Promise<void> {
    await this.members.delete({ familyId });
  }

  findLinkByChild(cid: string): Promise<ChildLink | null> {
    return this.findLockedLink({ cid });
  }

  findLinkByWatch(did: number): Promise<ChildLink | null> {
    return this.findLockedLink({ did });
  }

  findLinks(familyId: string): Promise<ChildLink[]> {
    return this.links.find({
      select: { familyId: true, cid: true, did: true },
      where: { familyId },
      order: { addedAt: 'ASC', cid: 'ASC' },
    });
  }

  /** Returns the children of the families, of each family in the order in which they were added. */
  findLinksOfAll(familyIds: readonly string[]): Promise<ChildLink[]> {
    return this.links.find({
      select: { familyId: true, cid: true, did: true },
      where: { familyId: In(familyIds) },
      order: { addedAt: 'ASC', cid: 'ASC' },
    });
  }

  countChildren(familyId: string): Promise<number> {
    return this.links.countBy({ familyId });
  }

  async addChild(familyId: string, cid: string, addedAt: number): Promise<void> {
    await this.links.insert({ familyId, cid, did: null, addedAt });
  }

  async removeChild(familyId: string, cid: string): Promise<void> {
    await this.links.delete({ familyId, cid });
  }

  async setWatch(familyId: string, cid: string, did: number): Promise<'SET' | 'CHILD_HAS_WATCH' | 'WATCH_TAKEN'> {
    try {
      const { affected } = await this.links.update({ familyId, cid, did: IsNull() }, { did });
      return affected === 1 ? 'SET' : 'CHILD_HAS_WATCH';
    } catch (error) {
      // Only the unique constraint detects that the watch is bound to a child of another family, because the
      // transaction has not locked that family.
      if (violatedUniqueConstraint(error) === 'family_child_did_key') return 'WATCH_TAKEN';
      throw error;
    }
  }

  async clearWatch(familyId: string, cid: string): Promise<void> {
    await this.links.update({ familyId, cid }, { did: null });
  }

  private findLocked(where: FindOptionsWhere<FamilyEntity>): Promise<FamilyEntity | null> {
    return this.families.findOne({ select: { familyId: true }, where, lock: { mode: 'pessimistic_write' } });
  }

  /** Returns false when the change would make a person the owner of two families. */
  private async updateUnlessSecondFamily(
    condition: FindOptionsWhere<FamilyEntity>,
    change: Partial<Pick<FamilyEntity, 'ownerUserId' | 'dissolvedAt'>>,
  ): Promise<boolean> {
    try {
      const { affected } = await this.families.update(condition, change);
      return affected === 1;
    } catch (error) {
      if (violatedUniqueConstraint(error) === 'family_owner_key') return false;
      throw error;
    }
  }

  private get families() {
    return this.unitOfWork.manager.getRepository(FamilyEntity);
  }

  private get members() {
    return this.unitOfWork.manager.getRepository(FamilyMemberEntity);
  }

  private async findLockedLink(condition: { cid: string } | { did: number }): Promise<ChildLink | null> {
    const found = await this.links.findOneBy(condition);
    if (!found || !this.unitOfWork.isInTransaction) return found;
    await this.lock(found.familyId);
    // Reads the row again, because the row may have changed while the transaction waited for the lock.
    return this.links.findOneBy({ ...condition, familyId: found.familyId });
  }

  private get links() {
    return this.unitOfWork.manager.getRepository(FamilyChildEntity);
  }
}
