import { Injectable } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { PointResultDto } from '@family-watch/domain/locations/dto/location-report.dto';
import type { StoredPointDto } from '@family-watch/domain/locations/dto/location-view.dto';
import { FamilyAccess } from '../families/family.access.js';
import { ChildLocationRepository } from './child-location.repository.js';
import { LocationIntake } from './intake/location-intake.service.js';
import { toStoredPointDto } from './stored-point-dto.js';

/** Where children are, for those who may know it. */
@Injectable()
export class LocationService {
  constructor(
    private readonly access: FamilyAccess,
    private readonly intake: LocationIntake,
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
    return last && toStoredPointDto(last);
  }
}
