import { Injectable } from '@nestjs/common';
import { FamilyChildEntity } from '@family-watch/domain/families/entities/family-child.entity';
import { ChildLocationEntity } from '@family-watch/domain/locations/entities/child-location.entity';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import type { StoredPoint } from './point-row.js';
import { fromBits, toBits } from './point-flag-bits.js';
import type { TrackEnd } from './intake/track-end.js';

/** The last location of a child, and where its track ends. */
export interface ChildLocationState {
  cid: string;
  location: StoredPoint;
  /** Null: to be looked up in the track. */
  trackEnd: TrackEnd | null;
}

const FIND_ALL = `
  select cid, did, position_time as "positionTime", point_type as "pointType", latitude, longitude, radius, flags,
         received_at as "receivedAt", newest_time as "newestTime", newest_credible_time as "newestCredibleTime"
    from userctx.child_location where cid = any($1::uuid[])`;

const SAVE_ALL = `
  insert into userctx.child_location as known
    (cid, did, position_time, point_type, latitude, longitude, radius, flags, received_at, newest_time,
     newest_credible_time)
  select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::smallint[], $5::numeric[], $6::numeric[],
                       $7::integer[], $8::smallint[], $9::bigint[], $10::bigint[], $11::bigint[])
  on conflict on constraint child_location_pk do update
    set did = excluded.did, position_time = excluded.position_time, point_type = excluded.point_type,
        latitude = excluded.latitude, longitude = excluded.longitude, radius = excluded.radius,
        flags = excluded.flags, received_at = excluded.received_at, newest_time = excluded.newest_time,
        newest_credible_time = excluded.newest_credible_time`;

/** The last credible position of each child. */
@Injectable()
export class ChildLocationRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** For members: a child of another family has been nowhere. */
  async findOfFamily(familyId: string, cid: string): Promise<StoredPoint | null> {
    const row = await this.unitOfWork.manager
      .createQueryBuilder(ChildLocationEntity, 'location')
      .innerJoin(FamilyChildEntity, 'link', 'link.cid = location.cid')
      .where('location.cid = :cid and link.familyId = :familyId', { cid, familyId })
      .getOne();
    return row ? toPoint(row) : null;
  }

  /** For whoever corrects it. */
  async find(cid: string): Promise<StoredPoint | null> {
    const row = await this.unitOfWork.manager.findOneBy(ChildLocationEntity, { cid });
    return row ? toPoint(row) : null;
  }

  /** For the intake, by child; children that have been nowhere are missing. */
  async findAll(cids: readonly string[]): Promise<Map<string, ChildLocationState>> {
    const rows = await this.unitOfWork.prepared.query<ChildLocationEntity>(FIND_ALL, [cids]);
    return new Map(rows.map((row) => [row.cid, { cid: row.cid, location: toPoint(row), trackEnd: trackEndOf(row) }]));
  }

  async saveAll(children: readonly ChildLocationState[]): Promise<void> {
    if (children.length === 0) return;
    const column = <Value>(value: (child: ChildLocationState) => Value): Value[] =>
      children.map((child) => value(child));
    await this.unitOfWork.prepared.query(SAVE_ALL, [
      column(({ cid }) => cid),
      column(({ location }) => location.did),
      column(({ location }) => location.point.positionTime),
      column(({ location }) => location.point.pointType),
      column(({ location }) => location.point.latitude),
      column(({ location }) => location.point.longitude),
      column(({ location }) => location.point.radius),
      column(({ location }) => toBits(location.flags)),
      column(({ location }) => location.receivedAt),
      column(({ trackEnd }) => trackEnd?.newestTime ?? null),
      column(({ trackEnd }) => trackEnd?.newestCredibleTime ?? null),
    ]);
  }

  /** Where the track ends is to be looked up afterwards: the flags of its points have changed. */
  async replace(cid: string, { did, point, flags, receivedAt }: StoredPoint): Promise<void> {
    const ends = { newestTime: null, newestCredibleTime: null };
    const row: ChildLocationEntity = { cid, did, ...point, flags: toBits(flags), receivedAt, ...ends };
    await this.unitOfWork.manager.upsert(ChildLocationEntity, row, ['cid']);
  }

  /** As {@link replace}, with the last location as it is. */
  async clearTrackEnd(cid: string): Promise<void> {
    await this.unitOfWork.manager.update(ChildLocationEntity, { cid }, { newestTime: null, newestCredibleTime: null });
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(ChildLocationEntity, { cid });
  }
}

function trackEndOf({ newestTime, newestCredibleTime }: ChildLocationEntity): TrackEnd | null {
  return newestTime === null ? null : { newestTime, newestCredibleTime };
}

function toPoint({
  did,
  flags,
  receivedAt,
  latitude,
  longitude,
  positionTime,
  radius,
  pointType,
}: ChildLocationEntity): StoredPoint {
  return {
    did,
    receivedAt,
    flags: fromBits(flags),
    point: { latitude, longitude, positionTime, radius, pointType },
  };
}
