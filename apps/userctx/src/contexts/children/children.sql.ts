import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

/**
 * Raw SQL: a prepared statement that joins six tables, for the most frequent operation of the service. Returns the
 * children of the members $1 with the last reports of their watches; $2 is the current time. The benchmarks also run
 * the statement alone.
 */
export const CHILDREN_OF_MEMBERS = prepared(`
  select member.user_id as "userId", child.cid, child.name, child.avatar, child.time_zone as "timeZone",
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
   where member.user_id = any($1::uuid[])
   order by member.joined_at, link.family_id, link.added_at, link.cid`);
