import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { FamilyChildEntity } from '@family-watch/domain/families/entities/family.entities';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import {
  LocationPointEntity,
  PointCorrectionEntity,
  ChildLocationEntity,
} from '@family-watch/domain/locations/entities/location.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { SPEED_CHECK_WINDOW_MS, type NewestPointTimes } from './point-assessment.js';
import {
  NON_CREDIBLE_BITS,
  pointKeyOf,
  toBits,
  toStoredPoint,
  LOCATION_COLUMNS,
  type PointOfWatch,
  type PointRow,
  type StoredPoint,
} from './stored-point.js';
import type { Period, TrackCursor } from './track-cursor.js';
import {
  FIND_BEST_PER_MINUTE,
  FIND_CREDIBLE_POINTS_BEFORE,
  FIND_NEWEST_POINT_TIMES,
  FIND_POINTS_AROUND,
  FIND_SAME_POINTS,
  FIND_TRACK,
  INSERT_POINTS,
  LOCK_CHILDREN,
  FIND_NEWEST_BY_ACCURACY,
  FLAG_WRONG,
  UNFLAG_WRONG,
  FIND_LAST_LOCATIONS,
  SAVE_LAST_LOCATIONS,
  UPDATE_FLAGS,
} from './location.sql.js';

/**
 * Maximum numbers of points before and after new points with which these are compared. A watch that reports every second
 * reports the points of two minutes twice.
 */
const MAX_POINTS_AROUND = { BEFORE: 240, AFTER: 240 } as const;

/** Selects points of a child. */
export interface TrackQuery extends Period {
  /** Select only points after this cursor. */
  after?: TrackCursor;
  /** Whether to exclude points that are not credible. */
  credibleOnly: boolean;
  limit: number;
}

/** Selects the points to correct. Without `did`, selects the points of all watches that the child has had. */
export interface PointReference {
  positionTime: number;
  pointType: number;
  did?: number | null;
}

/** A guardian's report that a point is wrong. */
export type PointCorrection = Pick<PointCorrectionEntity, 'reportedBy' | 'comment' | 'reportedAt'>;

/** Points of a child from `first` to `last`. Unix milliseconds. */
export interface ChildTimeRange {
  cid: string;
  first: number;
  last: number;
}

/** A child's last location and the times of the child's newest points. */
export interface ChildLocationState {
  cid: string;
  location: StoredPoint;
  /** Null when the times must be looked up in the track. */
  newestPointTimes: NewestPointTimes | null;
}

/**
 * Stores all points that the watches of children reported, the guardians' reports of wrong points, and the last
 * credible location of each child. Times are Unix milliseconds.
 */
@Injectable()
export class LocationRepository {
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
    await this.unitOfWork.executor.query(LOCK_CHILDREN, [cids]);
  }

  /** Finds the stored points with the same watch, time and point type as the given points. */
  async findSame(points: readonly PointOfWatch[]): Promise<StoredPoint[]> {
    if (points.length === 0) return [];
    const rows = await this.unitOfWork.executor.query<PointRow>(FIND_SAME_POINTS, [
      points.map(({ did }) => did),
      points.map(({ point }) => point.positionTime),
      points.map(({ point }) => point.pointType),
    ]);
    return rows.map(toStoredPoint);
  }

  /**
   * Returns for each of the given points the child's last credible point up to the time of the given point, at most
   * {@link SPEED_CHECK_WINDOW_MS} earlier, or null.
   */
  async findBefore(points: readonly { cid: string; point: Location }[]): Promise<(Location | null)[]> {
    if (points.length === 0) return [];
    const rows = await this.unitOfWork.executor.query<{ [Member in keyof PointRow]: PointRow[Member] | null }>(
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

  /**
   * Returns, by child, the points near the given times that can contradict other points, in any order: up to
   * {@link SPEED_CHECK_WINDOW_MS} before `first` and after `last`, at most {@link MAX_POINTS_AROUND}.
   */
  async findAround(ranges: readonly ChildTimeRange[]): Promise<Map<string, StoredPoint[]>> {
    if (ranges.length === 0) return new Map();
    const rows = await this.unitOfWork.executor.query<PointRow & { cid: string }>(FIND_POINTS_AROUND, [
      ...columnsOf(ranges, 'cid', 'first', 'last'),
      MAX_POINTS_AROUND.BEFORE,
      MAX_POINTS_AROUND.AFTER,
      SPEED_CHECK_WINDOW_MS,
    ]);
    const points = Map.groupBy(rows, ({ cid }) => cid);
    // The surroundings of two ranges of one child can overlap.
    const distinct = (around: readonly StoredPoint[]) => [
      ...new Map(around.map((point) => [pointKeyOf(point), point])).values(),
    ];
    return new Map([...points].map(([cid, around]) => [cid, distinct(around.map(toStoredPoint))]));
  }

  /** Stores the flags of points that are already stored. */
  async updateFlagsOf(points: readonly (StoredPoint & { cid: string })[]): Promise<void> {
    if (points.length === 0) return;
    await this.unitOfWork.executor.query(UPDATE_FLAGS, [
      ...columnsOf(points, 'cid', 'did'),
      ...columnsOf(
        points.map(({ point }) => point),
        'positionTime',
        'pointType',
      ),
      points.map(({ flags }) => toBits(flags)),
    ]);
  }

  /** Finds the times of the children's newest points. Children without points are missing from the map. */
  async findNewestPointTimes(cids: readonly string[]): Promise<Map<string, NewestPointTimes>> {
    if (cids.length === 0) return new Map();
    const rows = await this.unitOfWork.executor.query<NewestPointTimes & { cid: string }>(FIND_NEWEST_POINT_TIMES, [
      cids,
      NON_CREDIBLE_BITS,
    ]);
    return new Map(rows.map(({ cid, ...times }) => [cid, times]));
  }

  /** Inserts the points that do not exist yet. Returns the number of inserted points. */
  async add(points: readonly (StoredPoint & { cid: string })[]): Promise<number> {
    const [result] = await this.unitOfWork.executor.query<{ added: number }>(INSERT_POINTS, [
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

  /** Deletes points, last location and corrections of an erased child. */
  async erase(cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(LocationPointEntity, { cid });
    await this.eraseLast(cid);
    await this.corrections.delete({ cid });
  }

  /** Returns the selected points of the child in time order. */
  async findTrack(familyId: string, cid: string, query: TrackQuery): Promise<StoredPoint[]> {
    const { from, to, after, credibleOnly, limit } = query;
    const rows = await this.unitOfWork.executor.query<PointRow>(FIND_TRACK, [
      familyId,
      cid,
      Math.max(from, after?.positionTime ?? 0),
      to,
      credibleOnly ? NON_CREDIBLE_BITS : 0,
      after?.positionTime ?? -1,
      after?.pointType ?? 0,
      after?.did ?? 0,
      limit,
    ]);
    return rows.map(toStoredPoint);
  }

  /**
   * Returns the most accurate credible point of each minute, in time order. One point per minute limits the number of
   * points even in the location mode FOLLOW, in which the watch reports as often as it can.
   */
  async findBestPerMinute(familyId: string, cid: string, { from, to }: Period): Promise<StoredPoint[]> {
    const rows = await this.unitOfWork.executor.query<PointRow>(FIND_BEST_PER_MINUTE, [
      familyId,
      cid,
      from,
      to,
      NON_CREDIBLE_BITS,
    ]);
    return rows.map(toStoredPoint);
  }

  /** Flags points as wrong and returns the updated points, or an empty list if no point matches. */
  flagWrong(familyId: string, cid: string, reference: PointReference): Promise<StoredPoint[]> {
    return this.updateFlags(FLAG_WRONG, familyId, cid, reference);
  }

  unflagWrong(familyId: string, cid: string, reference: PointReference): Promise<StoredPoint[]> {
    return this.updateFlags(UNFLAG_WRONG, familyId, cid, reference);
  }

  /** Stores the report that a point is wrong. Ignores the report if the point was already reported. */
  async addCorrection(
    familyId: string,
    cid: string,
    { did, point }: StoredPoint,
    report: PointCorrection,
  ): Promise<void> {
    const { positionTime, pointType } = point;
    const values = { ...report, did, positionTime, pointType, familyId, cid };
    await this.corrections.createQueryBuilder().insert().values(values).orIgnore().execute();
  }

  async deleteCorrection(familyId: string, cid: string, { did, point }: StoredPoint): Promise<void> {
    const { positionTime, pointType } = point;
    await this.corrections.delete({ did, positionTime, pointType, cid, familyId });
  }

  /** Returns the newest credible point of good accuracy and the newest credible point of poor accuracy, if any. */
  async findNewestCredible(familyId: string, cid: string): Promise<StoredPoint[]> {
    const rows = await this.unitOfWork.executor.query<PointRow>(FIND_NEWEST_BY_ACCURACY, [familyId, cid]);
    return rows.map(toStoredPoint);
  }

  async deleteOldCorrections(reportedBefore: number): Promise<void> {
    await this.corrections.delete({ reportedAt: LessThan(reportedBefore) });
  }

  /** Finds the last location. Returns null for a child of another family. */
  async findLast(familyId: string, cid: string): Promise<StoredPoint | null> {
    const row = await this.unitOfWork.manager
      .createQueryBuilder(ChildLocationEntity, 'location')
      .innerJoin(FamilyChildEntity, 'link', 'link.cid = location.cid')
      .where('location.cid = :cid AND link.familyId = :familyId', { cid, familyId })
      .getOne();
    return row ? toStoredPoint(row) : null;
  }

  /** Finds the last locations by child id, for the intake. Children without a location are missing from the map. */
  async findLastOfChildren(cids: readonly string[]): Promise<Map<string, ChildLocationState>> {
    const rows = await this.unitOfWork.executor.query<ChildLocationEntity>(FIND_LAST_LOCATIONS, [cids]);
    return new Map(
      rows.map((row) => [
        row.cid,
        { cid: row.cid, location: toStoredPoint(row), newestPointTimes: newestPointTimesOf(row) },
      ]),
    );
  }

  async saveLast(children: readonly ChildLocationState[]): Promise<void> {
    if (children.length === 0) return;
    const points = children.map(({ location }) => location);
    await this.unitOfWork.executor.query(SAVE_LAST_LOCATIONS, [
      ...columnsOf(children, 'cid'),
      ...columnsOf(points, 'did'),
      ...columnsOf(
        points.map(({ point }) => point),
        ...LOCATION_COLUMNS,
      ),
      points.map(({ flags }) => toBits(flags)),
      ...columnsOf(points, 'receivedAt'),
      children.map(({ newestPointTimes }) => newestPointTimes?.newestTime ?? null),
      children.map(({ newestPointTimes }) => newestPointTimes?.newestCredibleTime ?? null),
    ]);
  }

  /**
   * Replaces the last location. Clears the times of the newest points, because a correction has changed which points
   * are credible.
   */
  async replaceLast(cid: string, { did, point, flags, receivedAt }: StoredPoint): Promise<void> {
    const unknownTimes = { newestTime: null, newestCredibleTime: null };
    const row: ChildLocationEntity = { cid, did, ...point, flags: toBits(flags), receivedAt, ...unknownTimes };
    await this.unitOfWork.manager.upsert(ChildLocationEntity, row, ['cid']);
  }

  /** Clears the times of the newest points like {@link replaceLast}, but leaves the last location unchanged. */
  async clearNewestPointTimes(cid: string): Promise<void> {
    await this.unitOfWork.manager.update(ChildLocationEntity, { cid }, { newestTime: null, newestCredibleTime: null });
  }

  async eraseLast(cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(ChildLocationEntity, { cid });
  }

  private async updateFlags(
    statement: string,
    familyId: string,
    cid: string,
    { positionTime, pointType, did = null }: PointReference,
  ): Promise<StoredPoint[]> {
    const parameters = [familyId, cid, positionTime, pointType, did];
    const rows = await this.unitOfWork.executor.query<PointRow>(statement, parameters);
    return rows.map(toStoredPoint);
  }

  private get corrections() {
    return this.unitOfWork.manager.getRepository(PointCorrectionEntity);
  }
}

function newestPointTimesOf({ newestTime, newestCredibleTime }: ChildLocationEntity): NewestPointTimes | null {
  return newestTime === null ? null : { newestTime, newestCredibleTime };
}
