import { Injectable } from '@nestjs/common';
import type { ChildPermission, FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import type { PointType } from '@family-watch/domain/locations/contracts/location';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import { CHILDREN_OF_MEMBERS } from './child-list.statement.js';

/** A child of a family of the caller, with what its watch last said; what is not known is `null`. */
export interface ChildListRow {
  cid: string;
  familyId: string;
  name: string;
  avatar: string | null;
  timeZone: string;
  role: FamilyRole;
  permissions: ChildPermission[];
  childPermissions: Record<string, ChildPermission[]>;
  did: number | null;
  battery: number | null;
  signal: number | null;
  signalMax: number | null;
  latitude: string | null;
  longitude: string | null;
  positionTime: number | null;
  radius: number | null;
  pointType: PointType | null;
  /** Steps by day (`YYYY-MM-DD`) around today: which of them is today depends on the child's time zone. */
  steps: Record<string, number> | null;
}

/**
 * The read behind GetChild, the most frequent of the service: one statement over the tables of families, children,
 * watches and locations, which lie in one schema. It only reads; each table is written by its own context.
 */
@Injectable()
export class ChildListRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Of each of these people, whom nobody names twice. @param now - Unix milliseconds */
  async findByMembers(userIds: readonly string[], now: number): Promise<Map<string, ChildListRow[]>> {
    const rows = await this.unitOfWork.prepared.query<ChildListRow & { userId: string }>(CHILDREN_OF_MEMBERS, [
      userIds,
      new Date(now).toISOString(),
    ]);
    return Map.groupBy(rows, ({ userId }) => userId);
  }
}
