import { Injectable } from '@nestjs/common';
import { toFix, TRUSTED_POINT_TYPES } from '@family-watch/domain/fences/evaluation/usable-fixes';
import type { Fix } from '@family-watch/domain/fences/geometry/compile-shape';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import { NON_CREDIBLE_BITS } from '../locations/point-flag-bits.js';
import { pointKeyOf } from '../locations/point-key.js';
import type { PointKey } from '../locations/point-key.js';
import type { ChildKey } from './fence.repository.js';

/**
 * Which part of a child's track is asked for: some of before `from`, and from there to `to` the newest, at most `most`.
 * Unix milliseconds.
 */
export interface TrackRange extends ChildKey {
  from: number;
  to: number;
  most: number;
}

/** A stored fix that fences are judged by. */
export interface TrackFix {
  cid: string;
  key: PointKey;
  fix: Fix;
}

interface TrackRow extends Location {
  cid: string;
  did: number;
}

/** How far back it is looked for where the child was before. */
const BEFORE = { fixes: 500, milliseconds: 24 * 3_600_000 };

const USABLE = 'point.cid = asked.cid and flags & $5::smallint = 0 and point_type = any($6::smallint[])';

const COLUMNS = 'did, position_time, point_type, latitude, longitude, radius';

/** Planned once on each connection: there is a partition for each day. */
const AROUND = `
  select asked.cid, did, position_time as "positionTime", point_type as "pointType", latitude, longitude, radius
    from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $9::integer[])
      as asked (cid, family_id, since, until, most)
    join userctx.fence_watch watched on watched.cid = asked.cid and watched.family_id = asked.family_id
   cross join lateral (
     (select ${COLUMNS} from userctx.location_point point
       where ${USABLE} and position_time < asked.since and position_time >= asked.since - $7::bigint
       order by position_time desc limit $8)
     union all
     (select ${COLUMNS} from userctx.location_point point
       where ${USABLE} and position_time between asked.since and asked.until
       order by position_time desc limit asked.most)) track`;

/** What watches reported, as far as fences are judged by it. */
@Injectable()
export class FenceTrackRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** In no order. */
  async findAround(ranges: readonly TrackRange[]): Promise<TrackFix[]> {
    const rows = await this.unitOfWork.prepared.query<TrackRow>(AROUND, [
      ranges.map(({ cid }) => cid),
      ranges.map(({ familyId }) => familyId),
      ranges.map(({ from }) => from),
      ranges.map(({ to }) => to),
      NON_CREDIBLE_BITS,
      TRUSTED_POINT_TYPES,
      BEFORE.milliseconds,
      BEFORE.fixes,
      ranges.map(({ most }) => most),
    ]);
    return rows.map(({ cid, did, ...point }) => ({ cid, key: pointKeyOf({ did, point }), fix: toFix(point) }));
  }
}
