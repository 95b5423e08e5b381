import { Injectable } from '@nestjs/common';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { SPEED_CHECK_WINDOW_MS } from './point-assessment.js';
import type { NewestPointTimes } from './point-assessment.js';
import {
  childLockKeySql,
  NON_CREDIBLE_BITS,
  toBits,
  pointColumns,
  toStoredPoint,
  LOCATION_COLUMNS,
} from './stored-point.js';
import type { PointOfWatch, PointRow, StoredPoint } from './stored-point.js';
import type { Period, TrackCursor } from './track-cursor.js';

const COLUMNS = pointColumns('location_point');

/** Advisory locks, in an order that prevents deadlocks. Prepared: every batch of location reports takes them. */
const LOCK_CHILDREN = `
  select pg_advisory_xact_lock(lock) from (
    select distinct ${childLockKeySql('cid')} as lock from unnest($1::text[]) as child (cid)
     order by lock offset 0) as ordered`;

/** Prepared and set-based: every batch of location reports looks for repeated points. */
const FIND_SAME_POINTS = `
  select ${COLUMNS} from unnest($1::bigint[], $2::bigint[], $3::smallint[]) as input (input_did, input_time, input_type)
    join userctx.location_point
      on did = input_did and position_time = input_time and point_type = input_type`;

/** Lateral and prepared: one predecessor for each of any number of points. */
const FIND_CREDIBLE_POINTS_BEFORE = `
  select before.* from unnest($1::uuid[], $2::bigint[]) with ordinality as input (cid, time, ordinal)
    left join lateral (
      select ${COLUMNS} from userctx.location_point
       where cid = input.cid and position_time <= input.time and position_time >= input.time - $3::bigint
         and flags & $4::smallint = 0
       order by position_time desc
       limit 1) before on true
   order by input.ordinal`;

/** Lateral: the newest points of any number of children. */
const FIND_NEWEST_POINT_TIMES = `
  select input.cid, newest.time as "newestTime", credible.time as "newestCredibleTime"
    from unnest($1::uuid[]) as input (cid)
    cross join lateral (
      select position_time as time from userctx.location_point
       where cid = input.cid order by position_time desc limit 1) newest
    left join lateral (
      select position_time as time from userctx.location_point
       where cid = input.cid and flags & $2::smallint = 0 order by position_time desc limit 1) credible on true`;

/** Prepared and set-based: every batch of location reports inserts its points. */
const INSERT_POINTS = `
  with added as (
    insert into userctx.location_point
      (cid, did, position_time, point_type, latitude, longitude, radius, flags, received_at)
    select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::smallint[], $5::numeric[], $6::numeric[],
                         $7::integer[], $8::smallint[], $9::bigint[])
    on conflict do nothing
    returning 1)
  select count(*)::integer as added from added`;

/** Selects points of a child. */
export interface TrackQuery extends Period {
  /** Select only points after this cursor. */
  after?: TrackCursor;
  /** Whether to exclude points that are not credible. */
  credibleOnly: boolean;
  limit: number;
}

const BELONGS_TO_FAMILY_SQL = `cid = $2 and exists (
  select from userctx.family_child link where link.cid = $2 and link.family_id = $1)`;

/** Stores every point that a child's watch reported. Times are Unix milliseconds. */
@Injectable()
export class LocationPointRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /**
   * Locks one child until the transaction ends, so that reports about the child are processed one after the other.
   * Reports about other children do not wait for the lock.
   */
  lockChild(cid: string): Promise<void> {
    return this.lockChildren([cid]);
  }

  /** Locks several children, in an order that prevents deadlocks between transactions. */
  async lockChildren(cids: readonly string[]): Promise<void> {
    await this.unitOfWork.prepared.query(LOCK_CHILDREN, [cids]);
  }

  /** Finds the stored points with the same watch, time and point type as the given points. */
  async findSame(points: readonly PointOfWatch[]): Promise<StoredPoint[]> {
    if (points.length === 0) return [];
    const rows = await this.unitOfWork.prepared.query<PointRow>(FIND_SAME_POINTS, [
      points.map(({ did }) => did),
      points.map(({ point }) => point.positionTime),
      points.map(({ point }) => point.pointType),
    ]);
    return rows.map(toStoredPoint);
  }

  /**
   * Returns, for each given point, the child's last credible point up to its time and within the speed check window, or
   * null.
   */
  async findBefore(points: readonly { cid: string; point: Location }[]): Promise<(Location | null)[]> {
    if (points.length === 0) return [];
    const rows = await this.unitOfWork.prepared.query<{ [Member in keyof PointRow]: PointRow[Member] | null }>(
      FIND_CREDIBLE_POINTS_BEFORE,
      [
        points.map(({ cid }) => cid),
        points.map(({ point }) => point.positionTime),
        SPEED_CHECK_WINDOW_MS,
        NON_CREDIBLE_BITS,
      ],
    );
    return rows.map((row) => (row.positionTime === null ? null : toStoredPoint(row as PointRow).point));
  }

  /** Finds the times of the children's newest points. Children without points are missing from the map. */
  async findNewestPointTimes(cids: readonly string[]): Promise<Map<string, NewestPointTimes>> {
    if (cids.length === 0) return new Map();
    const rows = await this.unitOfWork.prepared.query<NewestPointTimes & { cid: string }>(FIND_NEWEST_POINT_TIMES, [
      cids,
      NON_CREDIBLE_BITS,
    ]);
    return new Map(rows.map(({ cid, ...end }) => [cid, end]));
  }

  /** Inserts the points that do not exist yet. Returns the number of inserted points. */
  async add(points: readonly (StoredPoint & { cid: string })[]): Promise<number> {
    const [result] = await this.unitOfWork.prepared.query<{ added: number }>(INSERT_POINTS, [
      ...columnsOf(points, 'cid', 'did'),
      ...columnsOf(
        points.map(({ point }) => point),
        ...LOCATION_COLUMNS,
      ),
      points.map(({ flags }) => toBits(flags)),
      ...columnsOf(points, 'receivedAt'),
    ]);
    return result?.added ?? 0;
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.location_point where cid = $1', [cid]);
  }

  /** Returns the points in time order. */
  async findTrack(familyId: string, cid: string, query: TrackQuery): Promise<StoredPoint[]> {
    const { from, to, after, credibleOnly, limit } = query;
    const rows = await this.unitOfWork.prepared.query<PointRow>(
      `select ${COLUMNS} from userctx.location_point
        where ${BELONGS_TO_FAMILY_SQL} and position_time >= $3 and position_time < $4 and flags & $5 = 0
          and (position_time, point_type, did) > ($6::bigint, $7::smallint, $8::bigint)
        order by position_time, point_type, did
        limit $9`,
      [
        familyId,
        cid,
        Math.max(from, after?.positionTime ?? 0),
        to,
        credibleOnly ? NON_CREDIBLE_BITS : 0,
        after?.positionTime ?? -1,
        after?.pointType ?? 0,
        after?.did ?? 0,
        limit,
      ],
    );
    return rows.map(toStoredPoint);
  }

  /**
   * Returns the most accurate credible point of each minute, in time order. One point per minute limits the number of
   * points even in the location mode FOLLOW, in which the watch reports as often as it can.
   */
  async findBestPerMinute(familyId: string, cid: string, { from, to }: Period): Promise<StoredPoint[]> {
    const rows = await this.unitOfWork.prepared.query<PointRow>(
      `select distinct on (position_time / 60000) ${COLUMNS} from userctx.location_point
        where ${BELONGS_TO_FAMILY_SQL} and position_time >= $3 and position_time < $4 and flags & $5 = 0
        order by position_time / 60000, radius, position_time, point_type, did`,
      [familyId, cid, from, to, NON_CREDIBLE_BITS],
    );
    return rows.map(toStoredPoint);
  }
}
