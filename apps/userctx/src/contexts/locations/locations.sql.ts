import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { POINT_FLAG } from '@family-watch/domain/locations/contracts/location';
import { childLockKeySql } from './child-lock-key.js';
import { NON_CREDIBLE_BITS, toBits } from './stored-point.js';

/** Returns the select list of a point for the raw statements of this file. `table`: name or alias of the table. */
function pointColumns(table: string): string {
  return `${table}.did, ${table}.latitude, ${table}.longitude, ${table}.position_time as "positionTime", ${table}.radius,
    ${table}.point_type as "pointType", ${table}.flags, ${table}.received_at as "receivedAt"`;
}

/**
 * Raw SQL: advisory locks, taken in the order of their keys to prevent deadlocks. A prepared statement, because every
 * batch of location reports executes it.
 */
export const LOCK_CHILDREN = prepared(`
  select pg_advisory_xact_lock(lock) from (
    select distinct ${childLockKeySql('cid')} as lock from unnest($1::text[]) as child (cid)
     order by lock offset 0) as ordered`);

/** Raw SQL: a prepared statement, because every batch of location reports looks for points that are already stored. */
export const FIND_SAME_POINTS = prepared(`
  select ${pointColumns('location_point')}
    from unnest($1::bigint[], $2::bigint[], $3::smallint[]) as input (input_did, input_time, input_type)
    join userctx.location_point
      on did = input_did and position_time = input_time and point_type = input_type`);

/** Raw SQL: a lateral join, which finds one predecessor for each of the given points. A prepared statement. */
export const FIND_CREDIBLE_POINTS_BEFORE = prepared(`
  select before.* from unnest($1::uuid[], $2::bigint[]) with ordinality as input (cid, time, ordinal)
    left join lateral (
      select ${pointColumns('location_point')} from userctx.location_point
       where cid = input.cid and position_time <= input.time and position_time >= input.time - $3::bigint
         and flags & $4::smallint = 0 and not (latitude = 0 and longitude = 0)
       order by position_time desc
       limit 1) before on true
   order by input.ordinal`);

const FUTURE_BIT = toBits([POINT_FLAG.FUTURE]);

const UNCONTRADICTABLE_BITS = toBits([POINT_FLAG.FUTURE, POINT_FLAG.REPORTED_WRONG]);

/**
 * Raw SQL: lateral joins, which find the points around several groups of new points. Limits the number of points up to the
 * first one of a group to $4 and after it to $5. A prepared statement.
 */
export const FIND_POINTS_AROUND = prepared(`
  select input.cid, around.* from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as input (cid, first_time, last_time)
    cross join lateral (
      (select ${pointColumns('location_point')} from userctx.location_point
        where cid = input.cid and position_time between input.first_time - $6::bigint and input.first_time
          and flags & ${UNCONTRADICTABLE_BITS} = 0
        order by position_time desc limit $4)
      union all
      (select ${pointColumns('location_point')} from userctx.location_point
        where cid = input.cid and position_time > input.first_time
          and position_time <= input.last_time + $6::bigint and flags & ${UNCONTRADICTABLE_BITS} = 0
        order by position_time limit $5)) around`);

/** Raw SQL: an UPDATE of several rows. A prepared statement. */
export const UPDATE_FLAGS = prepared(`
  update userctx.location_point point set flags = input.flags
    from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::smallint[], $5::smallint[])
      as input (cid, did, position_time, point_type, flags)
   where point.cid = input.cid and point.did = input.did and point.position_time = input.position_time
     and point.point_type = input.point_type`);

/** Raw SQL: lateral joins, which find the newest points of several children. A prepared statement. */
export const FIND_NEWEST_POINT_TIMES = prepared(`
  select input.cid, newest.time as "newestTime", credible.time as "newestCredibleTime"
    from unnest($1::uuid[]) as input (cid)
    cross join lateral (
      select position_time as time from userctx.location_point
       where cid = input.cid and flags & ${FUTURE_BIT} = 0 order by position_time desc limit 1) newest
    left join lateral (
      select position_time as time from userctx.location_point
       where cid = input.cid and flags & $2::smallint = 0 order by position_time desc limit 1) credible on true`);

/** Raw SQL: a prepared statement, because every batch of location reports inserts its points. */
export const INSERT_POINTS = prepared(`
  with added as (
    insert into userctx.location_point
      (cid, did, position_time, point_type, latitude, longitude, radius, flags, received_at)
    select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::smallint[], $5::numeric[], $6::numeric[],
                         $7::integer[], $8::smallint[], $9::bigint[])
    on conflict do nothing
    returning 1)
  select count(*)::integer as added from added`);

/** Selects the points of child $2 if the child belongs to family $1. */
const POINTS_OF_CHILD = `from userctx.location_point where cid = $2 and exists (
    select from userctx.family_child link where link.cid = $2 and link.family_id = $1)`;

/** Raw SQL: compares rows. A prepared statement, because planning is expensive with one partition per day. */
export const FIND_TRACK = prepared(`
  select ${pointColumns('location_point')} ${POINTS_OF_CHILD}
    and position_time >= $3 and position_time < $4 and flags & $5 = 0
    and (position_time, point_type, did) > ($6::bigint, $7::smallint, $8::bigint)
  order by position_time, point_type, did
  limit $9`);

/** Raw SQL: DISTINCT ON. A prepared statement, like {@link FIND_TRACK}. */
export const FIND_BEST_PER_MINUTE = prepared(`
  select distinct on (position_time / 60000) ${pointColumns('location_point')} ${POINTS_OF_CHILD}
    and position_time >= $3 and position_time < $4 and flags & $5 = 0
  order by position_time / 60000, radius, position_time, point_type, did`);

const POOR_ACCURACY_BIT = toBits([POINT_FLAG.POOR_ACCURACY]);

const newestPointSql = (accuracy: '=' | '<>') => `
  (select ${pointColumns('location_point')} ${POINTS_OF_CHILD}
    and flags & ${NON_CREDIBLE_BITS} = 0 and flags & ${POOR_ACCURACY_BIT} ${accuracy} 0
  order by position_time desc, point_type, did limit 1)`;

/** Raw SQL: a UNION of the newest credible point of good accuracy and the newest credible point of poor accuracy. */
export const FIND_NEWEST_BY_ACCURACY = `${newestPointSql('=')} union all ${newestPointSql('<>')}`;

const REPORTED_WRONG_BIT = toBits([POINT_FLAG.REPORTED_WRONG]);

const updateFlagsSql = (flags: string) => `
  update userctx.location_point point set flags = ${flags} from userctx.family_child link
   where point.cid = $2 and point.position_time = $3 and point.point_type = $4
     and ($5::bigint is null or point.did = $5) and link.cid = point.cid and link.family_id = $1
   returning ${pointColumns('point')}`;

/** Raw SQL: an UPDATE with a join, which TypeORM does not support. Sets one bit of the flags and returns the points. */
export const FLAG_WRONG = updateFlagsSql(`point.flags | ${REPORTED_WRONG_BIT}`);

/** Raw SQL: an UPDATE with a join, like {@link FLAG_WRONG}. Clears one bit of the flags and returns the points. */
export const UNFLAG_WRONG = updateFlagsSql(`point.flags & ~${REPORTED_WRONG_BIT}`);

/** Raw SQL: a prepared statement, because every batch of location reports reads the last locations. */
export const FIND_LAST_LOCATIONS = prepared(`
  select cid, ${pointColumns('location')}, newest_time as "newestTime", newest_credible_time as "newestCredibleTime"
    from userctx.child_location location where cid = any($1::uuid[])`);

/** Raw SQL: a prepared statement, because every batch of location reports writes the last locations. */
export const SAVE_LAST_LOCATIONS = prepared(`
  insert into userctx.child_location as stored
    (cid, did, position_time, point_type, latitude, longitude, radius, flags, received_at, newest_time,
     newest_credible_time)
  select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::smallint[], $5::numeric[], $6::numeric[],
                       $7::integer[], $8::smallint[], $9::bigint[], $10::bigint[], $11::bigint[])
  on conflict on constraint child_location_pk do update
    set did = excluded.did, position_time = excluded.position_time, point_type = excluded.point_type,
        latitude = excluded.latitude, longitude = excluded.longitude, radius = excluded.radius,
        flags = excluded.flags, received_at = excluded.received_at, newest_time = excluded.newest_time,
        newest_credible_time = excluded.newest_credible_time`);

/** Raw SQL: a prepared statement, because every batch of location reports looks for pending requests. */
export const FIND_CHILDREN_WITH_PENDING_REQUEST = prepared(`
  select cid from userctx.location_ask where state = 'ASKED' and cid = any($1::uuid[])`);

/** Raw SQL: a subquery selects the first of the points that was measured at or after the request, and stores it. */
export const COMPLETE_REQUEST = `
  update userctx.location_ask set state = 'ANSWERED', answer =
    (select point from jsonb_array_elements($2::jsonb) with ordinality as list (point, place)
      where (point->>'positionTime')::bigint >= asked_at order by place limit 1)
   where cid = $1 and state = 'ASKED' and asked_at <= $3 and deadline >= $4`;

const SHARE_COLUMNS = `share_id as "shareId", family_id as "familyId", cid, created_by as "createdBy", title,
  created_at as "createdAt", expires_at as "expiresAt"`;

/** Raw SQL: a prepared statement, because the page of a share reloads every 30 seconds. */
export const FIND_SHARE_BY_TOKEN = prepared(
  `select ${SHARE_COLUMNS} from userctx.location_share where token_digest = $1 and expires_at > $2
      and not exists (select from userctx.account where user_id = created_by and suspended_at is not null)`,
);

/** Raw SQL: a DELETE with a limit. With SKIP LOCKED, concurrent replicas end different shares. */
export const END_EXPIRED_SHARES = `
  delete from userctx.location_share where share_id in (
    select share_id from userctx.location_share where expires_at <= $1
     order by expires_at limit $2 for update skip locked)
  returning ${SHARE_COLUMNS}`;
