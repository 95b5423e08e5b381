import { Injectable } from '@nestjs/common';
import type { ChildPermission, FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import type { PointType } from '@family-watch/domain/locations/contracts/location';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { CHILDREN_OF_MEMBERS } from './child-list.statement.js';

/** A child of one of the caller's families, with the last report of its watch. Unknown values are null. */
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
  /**
   * Numbers of steps by day (`YYYY-MM-DD`), for yesterday, today and tomorrow in UTC. The child's time zone determines
   * which of the three days is today for the child.
   */
  steps: Record<string, number> | null;
}

/**
 * Runs the query of GetChild, the most frequent operation of the service: one statement over the tables of families,
 * children, watches and locations, which share one schema. The query only reads; each table is written by its own
 * context.
 */
@Injectable()
export class ChildListRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /**
   * Returns the children of each person.
   * @param userIds without duplicates
   * @param now Unix milliseconds
   */
  async findByMembers(userIds: readonly string[], now: number): Promise<Map<string, ChildListRow[]>> {
    const rows = await this.unitOfWork.prepared.query<ChildListRow & { userId: string }>(CHILDREN_OF_MEMBERS, [
      userIds,
      new Date(now).toISOString(),
    ]);
    return Map.groupBy(rows, ({ userId }) => userId);
  }
}
