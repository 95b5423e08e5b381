import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { childLockKeySql } from '../locations/child-lock-key.js';

/** Raw SQL: a function call without a table. */
export const LOCK_CHILD = `select pg_advisory_xact_lock(${childLockKeySql('$1')})`;

/** Raw SQL: one statement reads the fences of all children of a batch of location reports. */
export const FIND_FENCES = `
  select fence_id as "fenceId", cid, name, shape, notify, dwell, windows, enabled, version, active_from as "activeFrom"
    from userctx.fence where (cid, family_id) in (select * from unnest($1::uuid[], $2::uuid[]))
   order by created_at, fence_id`;

/** Raw SQL: one statement inserts the events of a batch of location reports and returns the ids of the new events. */
export const INSERT_FENCE_EVENTS = `
  insert into userctx.fence_event
    (fence_event_id, cid, family_id, did, fence_id, fence_name, type, time, late, recorded_at)
  select *, $10::bigint from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::uuid[], $6::text[],
                                    $7::text[], $8::bigint[], $9::boolean[])
  on conflict on constraint fence_event_pk do nothing returning fence_event_id as id`;

/** Raw SQL: one statement reads the events of several children, those of each child from a different time on. */
export const FIND_PUBLISHED_EVENTS = `
  select event.cid, event.fence_id as "fenceId", event.type, event.time
    from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as requested (cid, family_id, since)
    join userctx.fence_event event
      on event.cid = requested.cid and event.family_id = requested.family_id and event.time >= requested.since`;

/** `time_zone` and `did` are columns of other contexts. This context reads but never writes them. */
const MONITORED_CHILD_COLUMNS = `watched.cid, watched.family_id as "familyId", watched.version, watched.states,
  watched.last_time as "lastTime", watched.next_dwell as "nextDwellAt", watched.next_arrival as "nextArrivalDueAt",
  child.time_zone as "timeZone", link.did`;

const MONITORED_CHILDREN = `userctx.fence_watch watched
  join userctx.child child on child.cid = watched.cid and child.family_id = watched.family_id
  left join userctx.family_child link on link.cid = watched.cid and link.family_id = watched.family_id`;

/** Raw SQL: a prepared statement, because every batch of location reports reads the fence states of its children. */
export const FIND_MONITORED_CHILDREN = prepared(`select ${MONITORED_CHILD_COLUMNS} from ${MONITORED_CHILDREN}
  where (watched.cid, watched.family_id) in (select * from unnest($1::uuid[], $2::uuid[]))`);

/** Raw SQL: a prepared statement, because every batch of location reports writes the fence states of its children. */
export const SAVE_MONITORED_CHILDREN = prepared(`update userctx.fence_watch watched
  set states = saved.states, last_time = saved.last_time, next_dwell = saved.next_dwell,
      next_arrival = saved.next_arrival
  from unnest($1::uuid[], $2::uuid[], $3::json[], $4::bigint[], $5::bigint[], $6::bigint[])
    as saved (cid, family_id, states, last_time, next_dwell, next_arrival)
  where watched.cid = saved.cid and watched.family_id = saved.family_id`);

/** Raw SQL: the earlier of two due times, as the index of due children contains it. A prepared statement. */
export const FIND_DUE_CHILDREN = prepared(`
  select cid, family_id as "familyId" from userctx.fence_watch
   where least(next_dwell, next_arrival) <= $1 and ($2::uuid is null or cid > $2) order by cid limit $3`);

/** Raw SQL: takes an advisory lock for each child, and returns the children whose lock no other transaction has. */
export const TRY_LOCK_CHILDREN = prepared(`
  select cid, family_id as "familyId" from unnest($1::uuid[], $2::uuid[]) as child (cid, family_id)
   where pg_try_advisory_xact_lock(${childLockKeySql('cid::text')})`);

/** Raw SQL: an upsert that adds to the stored version, under a condition, which TypeORM does not support. */
export const INCREMENT_FENCES_VERSION = `
  insert into userctx.fence_watch as watched (cid, family_id, version, states) values ($1, $2, 1, '[]')
  on conflict on constraint fence_watch_pk do update set version = watched.version + 1
   where watched.family_id = excluded.family_id`;

const USABLE_POINT_SQL = 'point.cid = requested.cid and flags & $5::smallint = 0 and point_type = any($6::smallint[])';

const POINT_COLUMNS = 'did, position_time, point_type, latitude, longitude, radius';

/** Raw SQL: a lateral join. A prepared statement, because planning is expensive with one partition per day. */
export const FIND_TRACKS = prepared(`
  select requested.cid, did, position_time as "positionTime", point_type as "pointType", latitude, longitude, radius
    from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $9::integer[])
              as requested (cid, family_id, since, until, max_fixes)
    join userctx.fence_watch watched on watched.cid = requested.cid and watched.family_id = requested.family_id
   cross join lateral (
     (select ${POINT_COLUMNS} from userctx.location_point point
       where ${USABLE_POINT_SQL} and position_time < requested.since and position_time >= requested.since - $7::bigint
       order by position_time desc limit $8)
     union all
     (select ${POINT_COLUMNS} from userctx.location_point point
       where ${USABLE_POINT_SQL} and position_time between requested.since and requested.until
       order by position_time desc limit requested.max_fixes)) track`);
