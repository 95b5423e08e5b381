import { Inject, Injectable } from '@nestjs/common';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { PointReferenceDto, ReportWrongDto } from '@family-watch/domain/locations/dto/location.dto';
import type { LastLocationDto } from '@family-watch/domain/locations/dto/track.dto';
import { Environment } from '@family-watch/platform/config/environment';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxChildReads, UserctxOutbox, UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { FamilyAccessService, type ChildAccess } from '../families/family-access.service.js';
import { LocationRepository } from './location.repository.js';
import { selectLast, supersedes } from './point-assessment.js';
import { toStoredPointDto, type StoredPoint } from './stored-point.js';

const RETENTION_INTERVAL_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * Corrects the track when a guardian reports that the child was not at a point. The point stays in the track with a
 * flag. Until the report is withdrawn, the point is not used as the child's location or to assess other points.
 */
@Injectable()
export class PointCorrectionService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly points: LocationRepository,
    private readonly childReads: UserctxChildReads,
    @Inject(Environment) private readonly environment: Pick<Environment, 'RETENTION_LOCATION_DAYS'>,
  ) {}

  /**
   * Flags the point as wrong.
   * @returns the child's last location, for which the point is no longer used
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, POINT_NOT_FOUND
   */
  async report(caller: Principal, request: ReportWrongDto): Promise<LastLocationDto> {
    const { comment = null } = request;
    const report = { reportedBy: principalKey(caller), comment, reportedAt: Date.now() };
    return this.correct(caller, request.cid, async (child) => {
      const flagged = await this.points.flagWrong(child.familyId, child.cid, request);
      if (flagged.length === 0) throw new ServiceError('POINT_NOT_FOUND');
      await this.points.clearNewestPointTimes(child.cid);
      for (const point of flagged) await this.points.addCorrection(child.familyId, child.cid, point, report);
      return this.replaceIfWrong(child, flagged);
    });
  }

  /**
   * Removes the flag that marks the point as wrong.
   * @returns the child's last location, for which the point is used again
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, POINT_NOT_FOUND
   */
  async withdraw(caller: Principal, request: PointReferenceDto): Promise<LastLocationDto> {
    return this.correct(caller, request.cid, async (child) => {
      const restored = await this.points.unflagWrong(child.familyId, child.cid, request);
      if (restored.length === 0) throw new ServiceError('POINT_NOT_FOUND');
      await this.points.clearNewestPointTimes(child.cid);
      for (const point of restored) await this.points.deleteCorrection(child.familyId, child.cid, point);
      return this.replaceIfSuperseded(child, restored);
    });
  }

  /** Deletes corrections at the end of the retention of their points. */
  @OnJob('userctx.locations.delete-old-corrections', { intervalMs: RETENTION_INTERVAL_MS })
  async deleteOld(now: number): Promise<void> {
    await this.points.deleteOldCorrections(now - this.environment.RETENTION_LOCATION_DAYS * DAY_MS);
  }

  /** Runs the correction in a transaction, and records that the caller saw the last location, which it returns. */
  private async correct(
    caller: Principal,
    requestedCid: string,
    work: (child: ChildAccess) => Promise<LastLocationDto>,
  ): Promise<LastLocationDto> {
    const last = await this.unitOfWork.run(async () => work(await this.authorizeAndLock(caller, requestedCid)));
    if (last.location) this.childReads.recordCaller(caller, requestedCid, 'LOCATION');
    return last;
  }

  /** Authorizes the caller and locks the child, so that concurrent location reports of the watch wait. */
  private async authorizeAndLock(caller: Principal, requestedCid: string): Promise<ChildAccess> {
    const child = await this.access.requireForChild(caller, requestedCid, 'CORRECT_LOCATION');
    await this.points.lockChild(child.cid);
    return child;
  }

  /** If the last location is one of the wrong points, replaces it with the newest credible point. */
  private async replaceIfWrong(child: ChildAccess, wrong: readonly StoredPoint[]): Promise<LastLocationDto> {
    const last = await this.points.findLast(child.familyId, child.cid);
    if (!last || !wrong.some((point) => isSamePoint(point, last))) return toDto(last);
    const { familyId, cid } = child;
    const { positionTime } = last.point;
    const next = selectLast(await this.points.findNewestCredible(familyId, cid));
    if (next) await this.setLastLocation(child, next, positionTime);
    else {
      await this.points.eraseLast(cid);
      await this.outbox.appendForFamily('userctx.location.withdrawn', { familyId, cid, positionTime });
    }
    return toDto(next);
  }

  /** If one of the restored points supersedes the last location, replaces the last location with the point. */
  private async replaceIfSuperseded(child: ChildAccess, restored: readonly StoredPoint[]): Promise<LastLocationDto> {
    const last = await this.points.findLast(child.familyId, child.cid);
    const next = restored.reduce((best, point) => (supersedes(point, best) ? point : best), last);
    if (next && next !== last) await this.setLastLocation(child, next);
    return toDto(next);
  }

  /** @param corrects - time of the wrong point that was the last location until now, Unix milliseconds */
  private async setLastLocation({ familyId, cid }: ChildAccess, next: StoredPoint, corrects?: number): Promise<void> {
    await this.points.replaceLast(cid, next);
    const payload = {
      familyId,
      cid,
      did: next.did,
      location: next.point,
      ...(corrects === undefined ? {} : { corrects }),
    };
    await this.outbox.appendForFamily('userctx.location.changed', payload);
  }
}

function isSamePoint(one: StoredPoint, other: StoredPoint): boolean {
  return (
    one.did === other.did &&
    one.point.positionTime === other.point.positionTime &&
    one.point.pointType === other.point.pointType
  );
}

function toDto(location: StoredPoint | null): LastLocationDto {
  return { location: location && toStoredPointDto(location) };
}
