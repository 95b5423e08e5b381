import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { childLockKeySql } from './child-lock-key.js';
import { POINT_FLAG } from '@family-watch/domain/locations/contracts/location';
import { toBits, NON_CREDIBLE_BITS } from './stored-point.js';

/** Returns the select list of a point. `table`: name or alias of the table. */
function pointColumns(table: string): string {
  return `${table}.did, ${table}.latitude, ${table}.longitude, ${table}.position_time AS "positionTime", ${table}.radius,
    ${table}.point_type AS "pointType", ${table}.flags, ${table}.received_at AS "receivedAt"`;
}

/** Takes the locks in the order of their keys to prevent deadlocks. */
export const LOCK_CHILDREN = prepared(`
  SELECT pg_advisory_xact_lock(lock) FROM (
    SELECT DISTINCT ${childLockKeySql('cid')} AS lock FROM unnest($1::text[]) AS child (cid)
     ORDER BY lock OFFSET 0) AS ordered`);

export const FIND_SAME_POINTS = prepared(`
  SELECT ${pointColumns('location_point')}
    FROM unnest($1::bigint[], $2::bigint[], $3::smallint[]) AS input (input_did, input_time, input_type)
    JOIN userctx.location_point
      ON did = input_did AND position_time = input_time AND point_type = input_type`);

export const FIND_CREDIBLE_POINTS_BEFORE = prepared(`
  SELECT before.* FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS input (cid, time, ordinal)
    LEFT JOIN LATERAL (
      SELECT ${pointColumns('location_point')} FROM userctx.location_point
       WHERE cid = input.cid AND position_time <= input.time AND position_time >= input.time - $3::bigint
         AND flags & $4::smallint = 0 AND NOT (latitude = 0 AND longitude = 0)
       ORDER BY position_time DESC
       LIMIT 1) before ON true
   ORDER BY input.ordinal`);

const FUTURE_BIT = toBits([POINT_FLAG.FUTURE]);

const UNCONTRADICTABLE_BITS = toBits([POINT_FLAG.FUTURE, POINT_FLAG.REPORTED_WRONG]);

/** Limits the number of points up to the first one of a group to $4 and after it to $5. */
export const FIND_POINTS_AROUND = prepared(`
  SELECT input.cid, around.* FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS input (cid, first_time, last_time)
    CROSS JOIN LATERAL (
      (SELECT ${pointColumns('location_point')} FROM userctx.location_point
        WHERE cid = input.cid AND position_time BETWEEN input.first_time - $6::bigint AND input.first_time
          AND flags & ${UNCONTRADICTABLE_BITS} = 0
        ORDER BY position_time DESC LIMIT $4)
      UNION ALL
      (SELECT ${pointColumns('location_point')} FROM userctx.location_point
        WHERE cid = input.cid AND position_time > input.first_time
          AND position_time <= input.last_time + $6::bigint AND flags & ${UNCONTRADICTABLE_BITS} = 0
        ORDER BY position_time LIMIT $5)) around`);

export const UPDATE_FLAGS = prepared(`
  UPDATE userctx.location_point point SET flags = input.flags
    FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::smallint[], $5::smallint[])
      AS input (cid, did, position_time, point_type, flags)
   WHERE point.cid = input.cid AND point.did = input.did AND point.position_time = input.position_time
     AND point.point_type = input.point_type`);

export const FIND_NEWEST_POINT_TIMES = prepared(`
  SELECT input.cid, newest.time AS "newestTime", credible.time AS "newestCredibleTime"
    FROM unnest($1::uuid[]) AS input (cid)
    CROSS JOIN LATERAL (
      SELECT position_time AS time FROM userctx.location_point
       WHERE cid = input.cid AND flags & ${FUTURE_BIT} = 0 ORDER BY position_time DESC LIMIT 1) newest
    LEFT JOIN LATERAL (
      SELECT position_time AS time FROM userctx.location_point
       WHERE cid = input.cid AND flags & $2::smallint = 0 ORDER BY position_time DESC LIMIT 1) credible ON true`);

export const INSERT_POINTS = prepared(`
  WITH added AS (
    INSERT INTO userctx.location_point
      (cid, did, position_time, point_type, latitude, longitude, radius, flags, received_at)
    SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::smallint[], $5::numeric[], $6::numeric[],
                         $7::integer[], $8::smallint[], $9::bigint[])
    ON CONFLICT DO NOTHING
    RETURNING 1)
  SELECT count(*)::integer AS added FROM added`);

/** Selects the points of child $2 if the child belongs to family $1. */
const POINTS_OF_CHILD = `FROM userctx.location_point WHERE cid = $2 AND EXISTS (
    SELECT FROM userctx.family_child link WHERE link.cid = $2 AND link.family_id = $1)`;

/** Prepared, because planning is expensive with one partition per day. */
export const FIND_TRACK = prepared(`
  SELECT ${pointColumns('location_point')} ${POINTS_OF_CHILD}
    AND position_time >= $3 AND position_time < $4 AND flags & $5 = 0
    AND (position_time, point_type, did) > ($6::bigint, $7::smallint, $8::bigint)
  ORDER BY position_time, point_type, did
  LIMIT $9`);

export const FIND_BEST_PER_MINUTE = prepared(`
  SELECT DISTINCT ON (position_time / 60000) ${pointColumns('location_point')} ${POINTS_OF_CHILD}
    AND position_time >= $3 AND position_time < $4 AND flags & $5 = 0
  ORDER BY position_time / 60000, radius, position_time, point_type, did`);

const POOR_ACCURACY_BIT = toBits([POINT_FLAG.POOR_ACCURACY]);

const newestPointSql = (accuracy: '=' | '<>') => `
  (SELECT ${pointColumns('location_point')} ${POINTS_OF_CHILD}
    AND flags & ${NON_CREDIBLE_BITS} = 0 AND flags & ${POOR_ACCURACY_BIT} ${accuracy} 0
  ORDER BY position_time DESC, point_type, did LIMIT 1)`;

/** The newest credible point of good accuracy and the newest credible point of poor accuracy. */
export const FIND_NEWEST_BY_ACCURACY = `${newestPointSql('=')} UNION ALL ${newestPointSql('<>')}`;

const REPORTED_WRONG_BIT = toBits([POINT_FLAG.REPORTED_WRONG]);

const updateFlagsSql = (flags: string) => `
  UPDATE userctx.location_point point SET flags = ${flags} FROM userctx.family_child link
   WHERE point.cid = $2 AND point.position_time = $3 AND point.point_type = $4
     AND ($5::bigint IS NULL OR point.did = $5) AND link.cid = point.cid AND link.family_id = $1
   RETURNING ${pointColumns('point')}`;

export const FLAG_WRONG = updateFlagsSql(`point.flags | ${REPORTED_WRONG_BIT}`);

export const UNFLAG_WRONG = updateFlagsSql(`point.flags & ~${REPORTED_WRONG_BIT}`);

export const FIND_LAST_LOCATIONS = prepared(`
  SELECT cid, ${pointColumns('location')}, newest_time AS "newestTime", newest_credible_time AS "newestCredibleTime"
    FROM userctx.child_location location WHERE cid = ANY($1::uuid[])`);

export const SAVE_LAST_LOCATIONS = prepared(`
  INSERT INTO userctx.child_location AS stored
    (cid, did, position_time, point_type, latitude, longitude, radius, flags, received_at, newest_time,
     newest_credible_time)
  SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::smallint[], $5::numeric[], $6::numeric[],
                       $7::integer[], $8::smallint[], $9::bigint[], $10::bigint[], $11::bigint[])
  ON CONFLICT ON CONSTRAINT child_location_pkey DO UPDATE
    SET did = excluded.did, position_time = excluded.position_time, point_type = excluded.point_type,
        latitude = excluded.latitude, longitude = excluded.longitude, radius = excluded.radius,
        flags = excluded.flags, received_at = excluded.received_at, newest_time = excluded.newest_time,
        newest_credible_time = excluded.newest_credible_time`);
