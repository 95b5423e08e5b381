import { Injectable } from '@nestjs/common';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { LastLocationDto } from '@family-watch/domain/locations/dto/location-view.dto';
import type { PointReferenceDto, ReportWrongDto } from '@family-watch/domain/locations/dto/wrong-report.dto';
import { UserctxOutbox } from '../../../infrastructure/userctx.outbox.js';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import type { ChildAccess } from '../../families/family-access.service.js';
import { ChildLocationRepository } from '../child-location.repository.js';
import { LocationPointRepository } from '../location-point.repository.js';
import type { StoredPoint } from '../point-row.js';
import { supersedes } from '../intake/point-assessment.js';
import { toStoredPointDto } from '../stored-point-dto.js';
import { PointCorrectionRepository } from './point-correction.repository.js';

/**
 * A guardian says that the child was not there. The point stays in the track, marked; it is no place of the child any
 * more, and no measure for other points, until somebody takes that back.
 */
@Injectable()
export class PointCorrectionService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly points: LocationPointRepository,
    private readonly locations: ChildLocationRepository,
    private readonly reports: PointCorrectionRepository,
  ) {}

  /** @returns where the child is now. @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, POINT_NOT_FOUND. */
  async report(caller: Principal, request: ReportWrongDto): Promise<LastLocationDto> {
    const { comment = null } = request;
    const report = { by: principalKey(caller), comment, reportedAt: Date.now() };
    return this.unitOfWork.run(async () => {
      const child = await this.enter(caller, request.cid);
      const marked = await this.reports.flagWrong(child.familyId, child.cid, request);
      if (marked.length === 0) throw new ServiceError('POINT_NOT_FOUND');
      await this.locations.clearTrackEnd(child.cid);
      for (const point of marked) await this.reports.insertIfAbsent(child.familyId, child.cid, point, report);
      return this.retreat(child, marked);
    });
  }

  /** @returns where the child is now. @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, POINT_NOT_FOUND. */
  async withdraw(caller: Principal, request: PointReferenceDto): Promise<LastLocationDto> {
    return this.unitOfWork.run(async () => {
      const child = await this.enter(caller, request.cid);
      const restored = await this.reports.unflagWrong(child.familyId, child.cid, request);
      if (restored.length === 0) throw new ServiceError('POINT_NOT_FOUND');
      await this.locations.clearTrackEnd(child.cid);
      for (const point of restored) await this.reports.delete(child.familyId, child.cid, point);
      return this.advance(child, restored);
    });
  }

  /** Reports of the watch wait meanwhile. */
  private async enter(caller: Principal, requestedCid: string): Promise<ChildAccess> {
    const child = await this.access.requireForChild(caller, requestedCid, 'CORRECT_LOCATION');
    await this.points.lockChild(child.cid);
    return child;
  }

  /** When the last location is among the wrong points, the newest one that can be believed takes its place. */
  private async retreat(child: ChildAccess, wrong: readonly StoredPoint[]): Promise<LastLocationDto> {
    const last = await this.locations.find(child.cid);
    if (!last || !wrong.some((point) => isSame(point, last))) return seen(last);
    const { familyId, cid } = child;
    const { positionTime } = last.point;
    const newest = await this.reports.findNewest(familyId, cid);
    const ordered = newest.toSorted((a, b) => a.point.positionTime - b.point.positionTime);
    const next = ordered.reduce<StoredPoint | null>((best, point) => (supersedes(point, best) ? point : best), null);
    if (next) await this.move(child, next, positionTime);
    else {
      await this.locations.erase(cid);
      const payload = { familyId, cid, positionTime };
      await this.outbox.append({ name: 'userctx.location.withdrawn', key: familyId, payload });
    }
    return seen(next);
  }

  private async advance(child: ChildAccess, restored: readonly StoredPoint[]): Promise<LastLocationDto> {
    const last = await this.locations.find(child.cid);
    const next = restored.reduce((best, point) => (supersedes(point, best) ? point : best), last);
    if (next && next !== last) await this.move(child, next);
    return seen(next);
  }

  private async move({ familyId, cid }: ChildAccess, next: StoredPoint, corrects?: number): Promise<void> {
    await this.locations.replace(cid, next);
    const payload = {
      familyId,
      cid,
      did: next.did,
      location: next.point,
      ...(corrects === undefined ? {} : { corrects }),
    };
    await this.outbox.append({ name: 'userctx.location.changed', key: familyId, payload });
  }
}

function isSame(one: StoredPoint, other: StoredPoint): boolean {
  return (
    one.did === other.did &&
    one.point.positionTime === other.point.positionTime &&
    one.point.pointType === other.point.pointType
  );
}

function seen(location: StoredPoint | null): LastLocationDto {
  return { location: location && toStoredPointDto(location) };
}
