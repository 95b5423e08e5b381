import { Injectable } from '@nestjs/common';
import type { ChildPermission, FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import type { PointType } from '@family-watch/domain/locations/contracts/location';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';

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

  /** @param now - Unix milliseconds */
  findByMember(userId: string, now: number): Promise<ChildListRow[]> {
    return this.unitOfWork.executor.query<ChildListRow>(CHILDREN_OF_MEMBER, [userId, new Date(now).toISOString()]);
  }
}

const CHILDREN_OF_MEMBER = `
  select child.cid, child.name, child.avatar, child.time_zone as "timeZone",
         link.family_id as "familyId", link.did,
         member.role, member.permissions, member.child_permissions as "childPermissions",
         status.battery, status.signal, status.signal_max as "signalMax",
         location.latitude, location.longitude, location.position_time as "positionTime",
         location.radius, location.point_type as "pointType",
         (select json_object_agg(step_day.day, step_day.steps) from userctx.step_day
           where step_day.cid = link.cid
             and step_day.day between ($2::timestamptz at time zone 'UTC')::date - 1
                                  and ($2::timestamptz at time zone 'UTC')::date + 1) as steps
    from userctx.family_member member
    join userctx.family_child link on link.family_id = member.family_id
    join userctx.child child on child.cid = link.cid
    left join userctx.watch_status status on status.did = link.did
    left join userctx.child_location location on location.cid = link.cid
   where member.user_id = $1
   order by member.joined_at, link.family_id, link.added_at, link.cid`;
