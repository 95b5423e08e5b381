import { Injectable } from '@nestjs/common';
import { FamilyChildEntity } from '@family-watch/domain/families/entities/family-child.entity';
import { ChildLocation } from '@family-watch/domain/locations/entities/child-location.entity';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import type { StoredPoint } from './location-point.repository.js';
import { fromBits, toBits } from './point-flag-bits.js';

/** The last credible position of each child. */
@Injectable()
export class ChildLocationRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** For members: a child of another family has been nowhere. */
  async findOfFamily(familyId: string, cid: string): Promise<StoredPoint | null> {
    const row = await this.unitOfWork.manager
      .createQueryBuilder(ChildLocation, 'location')
      .innerJoin(FamilyChildEntity, 'link', 'link.cid = location.cid')
      .where('location.cid = :cid and link.familyId = :familyId', { cid, familyId })
      .getOne();
    return row ? toPoint(row) : null;
  }

  /** For the intake, which writes it. */
  async find(cid: string): Promise<StoredPoint | null> {
    const row = await this.unitOfWork.manager.findOneBy(ChildLocation, { cid });
    return row ? toPoint(row) : null;
  }

  async replace(cid: string, { did, point, flags, receivedAt }: StoredPoint): Promise<void> {
    const row: ChildLocation = { cid, did, ...point, flags: toBits(flags), receivedAt };
    await this.unitOfWork.manager.upsert(ChildLocation, row, ['cid']);
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(ChildLocation, { cid });
  }
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
}: ChildLocation): StoredPoint {
  return {
    did,
    receivedAt,
    flags: fromBits(flags),
    point: { latitude, longitude, positionTime, radius, pointType },
  };
}
