import { Injectable } from '@nestjs/common';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import { SPEED_HORIZON } from './point-assessment.js';
import type { AssessedPoint } from './point-assessment.js';
import { BARRED_BITS, fromBits, toBits } from './point-flag-bits.js';

/** A point as it is stored, with whom it belongs to. */
export interface StoredPoint extends AssessedPoint {
  did: number;
  receivedAt: number;
}

/** Where a page of a track goes on: behind this point. */
export interface TrackPosition {
  positionTime: number;
  pointType: number;
  did: number;
}

interface PointRow extends Location {
  did: number;
  flags: number;
  receivedAt: number;
}

const COLUMNS = `did, latitude, longitude, position_time as "positionTime", radius, point_type as "pointType",
  flags, received_at as "receivedAt"`;

/** Every point that a child's watch reported. Times in Unix milliseconds. */
@Injectable()
export class LocationPointRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Makes the reports of one child wait for each other until the unit ends; the reports of others go on. */
  async lockChild(cid: string): Promise<void> {
    await this.unitOfWork.executor.query(`select pg_advisory_xact_lock(hashtextextended('location:' || $1, 0))`, [cid]);
  }

  /** The stored ones among these moments and kinds of fix of one watch. */
  async findSame(did: number, points: readonly Location[]): Promise<StoredPoint[]> {
    const rows = await this.unitOfWork.executor.query<PointRow>(
      `select ${COLUMNS} from userctx.location_point
        where did = $1 and position_time = any($2::bigint[])
          and (position_time, point_type) in (select * from unnest($2::bigint[], $3::smallint[]))`,
      [did, points.map((point) => point.positionTime), points.map((point) => point.pointType)],
    );
    return rows.map(toPoint);
  }

  /** For each time the child's last credible point up to it, within the horizon of the speed rule, or null. */
  async findBefore(cid: string, times: readonly number[]): Promise<(Location | null)[]> {
    const rows = await this.unitOfWork.executor.query<{ [Member in keyof PointRow]: PointRow[Member] | null }>(
      `select before.* from unnest($2::bigint[]) with ordinality as asked (time, ordinal)
         left join lateral (
           select ${COLUMNS} from userctx.location_point
            where cid = $1 and position_time <= asked.time and position_time >= asked.time - $3::bigint
              and flags & $4::smallint = 0
            order by position_time desc
            limit 1) before on true
        order by asked.ordinal`,
      [cid, times, SPEED_HORIZON, BARRED_BITS],
    );
    return rows.map((row) => (row.positionTime === null ? null : toPoint(row as PointRow).point));
  }

  async add(cid: string, points: readonly StoredPoint[]): Promise<void> {
    const column = <Value>(value: (point: StoredPoint) => Value): Value[] => points.map((point) => value(point));
    await this.unitOfWork.executor.query(
      `insert into userctx.location_point
         (cid, did, position_time, point_type, latitude, longitude, radius, flags, received_at)
       select $1::uuid, * from unnest($2::bigint[], $3::bigint[], $4::smallint[], $5::numeric[], $6::numeric[], $7::integer[],
                                $8::smallint[], $9::bigint[])
       on conflict do nothing`,
      [
        cid,
        column(({ did }) => did),
        column(({ point }) => point.positionTime),
        column(({ point }) => point.pointType),
        column(({ point }) => point.latitude),
        column(({ point }) => point.longitude),
        column(({ point }) => point.radius),
        column(({ flags }) => toBits(flags)),
        column(({ receivedAt }) => receivedAt),
      ],
    );
  }

  /** Points of the family's child from `from` (inclusive) to `to` (exclusive) in time order, behind `after`. */
  async findTrack(
    familyId: string,
    cid: string,
    { from, to, after, limit }: { from: number; to: number; after: TrackPosition | undefined; limit: number },
  ): Promise<StoredPoint[]> {
    const rows = await this.unitOfWork.executor.query<PointRow>(
      `select ${COLUMNS} from userctx.location_point
        where cid = $1 and position_time >= $2 and position_time < $3
          and exists (select from userctx.family_child link where link.cid = $1 and link.family_id = $8)
          and (position_time, point_type, did) > ($4::bigint, $5::smallint, $6::bigint)
        order by position_time, point_type, did
        limit $7`,
      [
        cid,
        Math.max(from, after?.positionTime ?? 0),
        to,
        after?.positionTime ?? -1,
        after?.pointType ?? 0,
        after?.did ?? 0,
        limit,
        familyId,
      ],
    );
    return rows.map(toPoint);
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.location_point where cid = $1', [cid]);
  }
}

function toPoint({ did, flags, receivedAt, ...point }: PointRow): StoredPoint {
  return { did, receivedAt, flags: fromBits(flags), point };
}
