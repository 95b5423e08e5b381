import { Injectable } from '@nestjs/common';
import { FamilyChildEntity } from '@family-watch/domain/families/entities/family.entities';
import { ChildLocationEntity } from '@family-watch/domain/locations/entities/location.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { NewestPointTimes } from './point-assessment.js';
import { fromBits, toBits, LOCATION_COLUMNS } from './stored-point.js';
import type { StoredPoint } from './stored-point.js';

/** A child's last location and the times of the child's newest points. */
export interface ChildLocationState {
  cid: string;
  location: StoredPoint;
  /** Null when the times must be looked up in the track. */
  newestPointTimes: NewestPointTimes | null;
}

/** Prepared and set-based: every batch of location reports reads the last locations. */
const FIND_ALL = `
  select cid, did, position_time as "positionTime", point_type as "pointType", latitude, longitude, radius, flags,
         received_at as "receivedAt", newest_time as "newestTime", newest_credible_time as "newestCredibleTime"
    from userctx.child_location where cid = any($1::uuid[])`;

/** Prepared and set-based: every batch of location reports writes the last locations. */
const SAVE_ALL = `
  insert into userctx.child_location as stored
    (cid, did, position_time, point_type, latitude, longitude, radius, flags, received_at, newest_time,
     newest_credible_time)
  select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::smallint[], $5::numeric[], $6::numeric[],
                       $7::integer[], $8::smallint[], $9::bigint[], $10::bigint[], $11::bigint[])
  on conflict on constraint child_location_pk do update
    set did = excluded.did, position_time = excluded.position_time, point_type = excluded.point_type,
        latitude = excluded.latitude, longitude = excluded.longitude, radius = excluded.radius,
        flags = excluded.flags, received_at = excluded.received_at, newest_time = excluded.newest_time,
        newest_credible_time = excluded.newest_credible_time`;

/** Stores the last credible location of each child. */
@Injectable()
export class ChildLocationRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Finds the location for a member of the family. Returns null for a child of another family. */
  async findInFamily(familyId: string, cid: string): Promise<StoredPoint | null> {
    const row = await this.unitOfWork.manager
      .createQueryBuilder(ChildLocationEntity, 'location')
      .innerJoin(FamilyChildEntity, 'link', 'link.cid = location.cid')
      .where('location.cid = :cid and link.familyId = :familyId', { cid, familyId })
      .getOne();
    return row ? toPoint(row) : null;
  }

  /** Finds the location without a family check; used by corrections. */
  async find(cid: string): Promise<StoredPoint | null> {
    const row = await this.unitOfWork.manager.findOneBy(ChildLocationEntity, { cid });
    return row ? toPoint(row) : null;
  }

  /** Finds the locations by child id, for the intake. Children without a location are missing from the map. */
  async findAll(cids: readonly string[]): Promise<Map<string, ChildLocationState>> {
    const rows = await this.unitOfWork.prepared.query<ChildLocationEntity>(FIND_ALL, [cids]);
    return new Map(
      rows.map((row) => [row.cid, { cid: row.cid, location: toPoint(row), newestPointTimes: newestPointTimesOf(row) }]),
    );
  }

  async saveAll(children: readonly ChildLocationState[]): Promise<void> {
    if (children.length === 0) return;
    const points = children.map(({ location }) => location);
    await this.unitOfWork.prepared.query(SAVE_ALL, [
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

  /** Replaces the last location. Clears the times of the newest points, because the flags of points have changed. */
  async replace(cid: string, { did, point, flags, receivedAt }: StoredPoint): Promise<void> {
    const unknownTrackEnd = { newestTime: null, newestCredibleTime: null };
    const row: ChildLocationEntity = { cid, did, ...point, flags: toBits(flags), receivedAt, ...unknownTrackEnd };
    await this.unitOfWork.manager.upsert(ChildLocationEntity, row, ['cid']);
  }

  /** Clears the times of the newest points like {@link replace}, but leaves the last location unchanged. */
  async clearNewestPointTimes(cid: string): Promise<void> {
    await this.unitOfWork.manager.update(ChildLocationEntity, { cid }, { newestTime: null, newestCredibleTime: null });
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(ChildLocationEntity, { cid });
  }
}

function newestPointTimesOf({ newestTime, newestCredibleTime }: ChildLocationEntity): NewestPointTimes | null {
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
