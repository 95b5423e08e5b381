import { Injectable } from '@nestjs/common';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { NON_CREDIBLE_BITS } from '../point-flag-bits.js';
import { pointColumns, toStoredPoint } from '../point-row.js';
import type { PointRow, StoredPoint } from '../point-row.js';
import type { Period } from './period.js';
import type { TrackCursor } from './track-cursor.js';

/** Selects points of a child. */
export interface TrackQuery extends Period {
  /** Select only points after this cursor. */
  after?: TrackCursor;
  /** Whether to exclude points that are not credible. */
  credibleOnly: boolean;
  limit: number;
}

const COLUMNS = pointColumns('location_point');

const BELONGS_TO_FAMILY_SQL = `cid = $2 and exists (
  select from userctx.family_child link where link.cid = $2 and link.family_id = $1)`;

/** Reads the tracks of children. Times are Unix milliseconds. */
@Injectable()
export class TrackRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the points in time order. */
  async find(familyId: string, cid: string, query: TrackQuery): Promise<StoredPoint[]> {
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
