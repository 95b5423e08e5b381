import { Injectable } from '@nestjs/common';
import { toFix, TRUSTED_POINT_TYPES } from '@family-watch/domain/fences/evaluation/usable-fixes';
import type { Fix } from '@family-watch/domain/fences/geometry/compile-shape';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { NON_CREDIBLE_BITS, pointKeyOf } from '../locations/stored-point.js';
import type { PointKey } from '../locations/stored-point.js';
import type { ChildKey } from './fence.repository.js';

/**
 * The requested part of a child's track: some fixes before `from`, and at most `maxFixes` fixes from `from` to `to`,
 * the newest ones. Times in Unix milliseconds.
 */
export interface TrackRange extends ChildKey {
  from: number;
  to: number;
  maxFixes: number;
}

/** A stored fix that is credible and of a point type that fences use. */
export interface TrackFix {
  cid: string;
  key: PointKey;
  fix: Fix;
}

interface TrackRow extends Location {
  cid: string;
  did: number;
}

/** Limits of the search for fixes before the range. */
const LOOKBACK_LIMITS = { fixes: 500, milliseconds: 24 * 3_600_000 };

const USABLE_POINT = 'point.cid = requested.cid and flags & $5::smallint = 0 and point_type = any($6::smallint[])';

const COLUMNS = 'did, position_time, point_type, latitude, longitude, radius';

/** The statement is prepared once per connection, because planning it is expensive with one partition per day. */
const FIND_TRACK = `
  select requested.cid, did, position_time as "positionTime", point_type as "pointType", latitude, longitude, radius
    from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $9::integer[])
              as requested (cid, family_id, since, until, max_fixes)
    join userctx.fence_watch watched on watched.cid = requested.cid and watched.family_id = requested.family_id
   cross join lateral (
     (select ${COLUMNS} from userctx.location_point point
       where ${USABLE_POINT} and position_time < requested.since and position_time >= requested.since - $7::bigint
       order by position_time desc limit $8)
     union all
     (select ${COLUMNS} from userctx.location_point point
       where ${USABLE_POINT} and position_time between requested.since and requested.until
       order by position_time desc limit requested.max_fixes)) track`;

/** Reads stored fixes for the evaluation of fences. */
@Injectable()
export class FenceTrackRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the fixes of the ranges in no particular order. */
  async findAround(ranges: readonly TrackRange[]): Promise<TrackFix[]> {
    const rows = await this.unitOfWork.prepared.query<TrackRow>(FIND_TRACK, [
      ranges.map(({ cid }) => cid),
      ranges.map(({ familyId }) => familyId),
      ranges.map(({ from }) => from),
      ranges.map(({ to }) => to),
      NON_CREDIBLE_BITS,
      TRUSTED_POINT_TYPES,
      LOOKBACK_LIMITS.milliseconds,
      LOOKBACK_LIMITS.fixes,
      ranges.map(({ maxFixes }) => maxFixes),
    ]);
    return rows.map(({ cid, did, ...point }) => ({ cid, key: pointKeyOf({ did, point }), fix: toFix(point) }));
  }
}
