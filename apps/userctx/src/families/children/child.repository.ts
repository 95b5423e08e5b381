import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThanOrEqual, MoreThan } from 'typeorm';
import { ChildEntity } from '@family-watch/domain/families/entities/child.entity';
import type { FamilyChildEntity, FamilyMemberEntity } from '@family-watch/domain/families/entities/family.entities';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { WatchStatusEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { findTimePage } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { ChildKey, ChildLink } from '../family-roster.service.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

/**
 * Returns the children of the members $1 with the last reports of their watches; $2 is the current time.
 *
 * @public The benchmarks also run the statement alone.
 */
export const CHILDREN_OF_MEMBERS = prepared(`
  SELECT member.user_id AS "userId", child.cid, child.name, child.avatar, child.time_zone AS "timeZone",
         link.family_id AS "familyId", link.did,
         member.role, member.permissions, member.child_permissions AS "childPermissions",
         status.battery, status.signal, status.signal_max AS "signalMax",
         location.latitude, location.longitude, location.position_time AS "positionTime",
         location.radius, location.point_type AS "pointType",
         (SELECT json_object_agg(step_day.day, step_day.steps) FROM userctx.step_day
           WHERE step_day.cid = link.cid
             AND step_day.day BETWEEN ($2::timestamptz AT TIME ZONE 'UTC')::date - 1
                                  AND ($2::timestamptz AT TIME ZONE 'UTC')::date + 1) AS steps
    FROM userctx.family_member member
    JOIN userctx.family_child link ON link.family_id = member.family_id
    JOIN userctx.child child ON child.cid = link.cid
    LEFT JOIN userctx.watch_status status ON status.did = link.did
    LEFT JOIN userctx.child_location location ON location.cid = link.cid
   WHERE member.user_id = ANY($1::uuid[])
   ORDER BY member.joined_at, link.family_id, link.added_at, link.cid`);

/** The fields of a child that an update can change. */
export type ChildChanges = Partial<Omit<ChildEntity, 'cid' | 'familyId' | 'createdAt' | 'deletedAt' | 'didAtDeletion'>>;

type Nullable<Values> = { [Field in keyof Values]: Values[Field] | null };

/** A child of one of the caller's families, with the last report of its watch. Unknown values are null. */
export interface ChildListRow
  extends
    Pick<ChildEntity, 'cid' | 'familyId' | 'name' | 'avatar' | 'timeZone'>,
    Pick<FamilyMemberEntity, 'role' | 'permissions' | 'childPermissions'>,
    Pick<FamilyChildEntity, 'did'>,
    Pick<WatchStatusEntity, 'battery' | 'signal' | 'signalMax'>,
    Nullable<Location> {
  /**
   * Numbers of steps by day (`YYYY-MM-DD`), for yesterday, today and tomorrow in UTC. The child's time zone determines
   * which of the three days is today for the child.
   */
  steps: Record<string, number> | null;
}

@Injectable()
export class ChildRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  find(familyId: string, cid: string): Promise<ChildEntity | null> {
    return this.table.findOneBy({ familyId, cid, deletedAt: IsNull() });
  }

  /** Returns the names of existing children, in any family: the caller must check who may see them. */
  findNames(cids: readonly string[]): Promise<Pick<ChildEntity, 'cid' | 'name' | 'avatar'>[]> {
    return this.table.find({
      select: { cid: true, name: true, avatar: true },
      where: { cid: In(cids), deletedAt: IsNull() },
    });
  }

  /**
   * Returns the family of a child that was deleted after `since` (Unix milliseconds), for the caller's access check.
   */
  async findFamilyOfDeleted(cid: string, since: number): Promise<string | null> {
    const child = await this.table.findOneBy({ cid, deletedAt: MoreThan(since) });
    return child?.familyId ?? null;
  }

  /** Returns the children of these families, including deleted ones that were not erased yet. */
  async findCidsOfFamilies(familyIds: readonly string[]): Promise<string[]> {
    const children = await this.table.find({ select: { cid: true }, where: { familyId: In(familyIds) } });
    return children.map(({ cid }) => cid);
  }

  async add(child: ChildEntity): Promise<void> {
    await this.table.insert(child);
  }

  async update(familyId: string, cid: string, changes: ChildChanges): Promise<void> {
    await this.table.update({ familyId, cid }, changes);
  }

  async markDeleted({ familyId, cid, did }: ChildLink, deletedAt: number): Promise<void> {
    await this.table.update({ familyId, cid }, { deletedAt, didAtDeletion: did });
  }

  /**
   * Restores a deleted child, whose family is locked, and returns the child as it was deleted. Returns null when the
   * child was not deleted, or was deleted before `since`.
   */
  async restore(familyId: string, cid: string, since: number): Promise<ChildEntity | null> {
    const deleted = await this.table.findOneBy({ familyId, cid, deletedAt: MoreThan(since) });
    if (deleted) await this.table.update({ familyId, cid }, { deletedAt: null, didAtDeletion: null });
    return deleted;
  }

  /** Returns the children of these families that were deleted after `since` (Unix milliseconds), the newest first. */
  findDeletedPage(familyIds: readonly string[], since: number, page: TimePageRequest): Promise<Page<ChildEntity>> {
    const where = { familyId: In(familyIds), deletedAt: MoreThan(since) };
    return findTimePage(this.table, where, { time: 'deletedAt', id: 'cid' }, page);
  }

  /**
   * Returns at most `limit` children that were marked as deleted by `deletedUntil` (Unix milliseconds), in order of
   * their ids after `afterCid`.
   */
  findDeleted(deletedUntil: number, limit: number, afterCid?: string): Promise<ChildKey[]> {
    return this.table.find({
      select: { familyId: true, cid: true },
      where: { deletedAt: LessThanOrEqual(deletedUntil), ...(afterCid && { cid: MoreThan(afterCid) }) },
      order: { cid: 'ASC' },
      take: limit,
    });
  }

  /** Erases a deleted child. Returns false if the child was restored or has already been erased. */
  async erase(familyId: string, cid: string, deletedUntil: number): Promise<boolean> {
    const { affected } = await this.table.delete({ familyId, cid, deletedAt: LessThanOrEqual(deletedUntil) });
    return affected === 1;
  }

  /**
   * Returns the children of each person for GetChild, the most frequent operation. One statement joins the tables of
   * families, children, watches and locations. Each of these rooms writes only its own tables.
   * @param userIds without duplicates
   * @param now Unix milliseconds
   */
  async findByMembers(userIds: readonly string[], now: number): Promise<Map<string, ChildListRow[]>> {
    const rows = await this.unitOfWork.executor.query<ChildListRow & { userId: string }>(CHILDREN_OF_MEMBERS, [
      userIds,
      new Date(now).toISOString(),
    ]);
    return Map.groupBy(rows, ({ userId }) => userId);
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(ChildEntity);
  }
}
