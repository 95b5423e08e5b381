import { Injectable } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { PointResultDto } from '@family-watch/domain/locations/dto/location.dto';
import type { StoredPointDto } from '@family-watch/domain/locations/dto/track.dto';
import { FamilyAccessService } from '../families/family-access.service.js';
import { ChildLocationRepository } from './child-location.repository.js';
import { LocationIntakeService } from './intake/location-intake.service.js';
import { toStoredPointDto } from './stored-point-dto.js';

/** Reads and stores children's locations. */
@Injectable()
export class LocationService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly intake: LocationIntakeService,
    private readonly locations: ChildLocationRepository,
  ) {}

  /** @throws ServiceError WATCH_UNBOUND. */
  async report(watch: Principal, points: readonly unknown[]): Promise<PointResultDto[]> {
    const results = await this.intake.process({ did: Number(watch.id), points, receivedAt: Date.now() });
    if (!results) throw new ServiceError('WATCH_UNBOUND');
    return results;
  }

  /** @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING. */
  async findLast(caller: Principal, cid: string): Promise<StoredPointDto | null> {
    const { familyId } = await this.access.requireForChild(caller, cid, 'SEE_LOCATION');
    const last = await this.locations.findInFamily(familyId, cid);
    return last && toStoredPointDto(last);
  }
}
