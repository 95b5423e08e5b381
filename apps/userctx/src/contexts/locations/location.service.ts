import { Injectable } from '@nestjs/common';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { PointResultDto } from '@family-watch/domain/locations/dto/location-report.dto';
import type { StoredPointDto, TrackQueryDto } from '@family-watch/domain/locations/dto/location-view.dto';
import { FamilyAccess } from '../families/family.access.js';
import { ChildLocationRepository } from './child-location.repository.js';
import { LocationIntake } from './location-intake.service.js';
import { LocationPointRepository } from './location-point.repository.js';
import type { StoredPoint } from './location-point.repository.js';
import { decodePosition, encodePosition } from './track-cursor.js';

/** Where children are and were, for those who may know it. */
@Injectable()
export class LocationService {
  constructor(
    private readonly access: FamilyAccess,
    private readonly intake: LocationIntake,
    private readonly points: LocationPointRepository,
    private readonly locations: ChildLocationRepository,
  ) {}

  /** @throws ServiceError WATCH_UNBOUND. */
  async report(watch: Principal, points: readonly unknown[]): Promise<PointResultDto[]> {
    const results = await this.intake.take({ did: Number(watch.id), points, receivedAt: Date.now() });
    if (!results) throw new ServiceError('WATCH_UNBOUND');
    return results;
  }

  /** @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING. */
  async last(caller: Principal, cid: string): Promise<StoredPointDto | null> {
    const { familyId } = await this.access.forChild(caller, cid, 'SEE_LOCATION');
    const last = await this.locations.findOfFamily(familyId, cid);
    return last && toDto(last);
  }

  /** @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING; VALIDATION_FAILED for a cursor that is none. */
  async track(caller: Principal, query: TrackQueryDto): Promise<Page<StoredPointDto>> {
    const { cid, from, to, cursor, limit = DEFAULT_PAGE_LIMIT } = query;
    const after = cursor === undefined ? undefined : decodePosition(cursor);
    const { familyId } = await this.access.forChild(caller, cid, 'SEE_LOCATION');
    const found = await this.points.findTrack(familyId, cid, { from, to, after, limit: limit + 1 });
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return { items: page.map(toDto), nextCursor: last ? encodePosition({ ...last.point, did: last.did }) : null };
  }
}

function toDto({ point, flags, receivedAt }: StoredPoint): StoredPointDto {
  return { ...point, flags, receivedAt };
}
