import { Injectable } from '@nestjs/common';
import { DEFAULT_PAGE_LIMIT, type Page } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError, validationError } from '@family-watch/domain/kernel/contracts/service-error';
import {
  MAX_SIMPLIFIED_TRACK,
  MAX_VISITS_PERIOD_DAYS,
  type Location,
} from '@family-watch/domain/locations/contracts/location';
import type { PointResultDto } from '@family-watch/domain/locations/dto/location.dto';
import type {
  LastLocationDto,
  LastLocationQueryDto,
  StoredPointDto,
  TrackQueryDto,
  VisitDto,
  VisitsQueryDto,
} from '@family-watch/domain/locations/dto/track.dto';
import { detectVisits } from './visits.js';
import { decodeCursor, toPage } from '@family-watch/platform/database/page-cursor';
import { UserctxChildReads } from '../infrastructure/userctx-infrastructure.js';
import { FamilyAccessService } from '../families/family-access.service.js';
import type { ChildKey } from '../families/family-roster.service.js';
import { Geocoder } from './geocoding/geocoder.js';
import { LocationIntakeService } from './location-intake.service.js';
import { LocationRepository } from './location.repository.js';
import { simplifyTrack } from './simplify-track.js';
import { toStoredPointDto, type StoredPoint } from './stored-point.js';
import { assertPeriod, decodeTrackCursor, isAfterCursor } from './track-cursor.js';

const HOURS_PER_DAY = 24;

/** A cursor is the start time of the last visit of a page, in Unix milliseconds. */
const VISIT_CURSOR_PATTERN = /^(\d{1,16})$/;

/**
 * Stores children's locations, and returns locations, tracks and visits to authorized members. Visits are detected on
 * each request, so they always include late points.
 */
@Injectable()
export class LocationService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly intake: LocationIntakeService,
    private readonly points: LocationRepository,
    private readonly childReads: UserctxChildReads,
    private readonly geocoder: Geocoder,
  ) {}

  /**
   * Stores the points that a watch reports.
   * @returns one result per point, in the order of the points
   * @throws ServiceError WATCH_UNBOUND
   */
  async report(watch: Principal, points: readonly unknown[]): Promise<PointResultDto[]> {
    const results = await this.intake.process({ did: Number(watch.id), points, receivedAt: Date.now() });
    if (!results) throw new ServiceError('WATCH_UNBOUND');
    return results;
  }

  /** @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING */
  async findLast(caller: Principal, cid: string): Promise<StoredPointDto | null> {
    const { familyId } = await this.access.requireForChild(caller, cid, 'SEE_LOCATION');
    const last = await this.points.findLast(familyId, cid);
    if (last) this.childReads.recordCaller(caller, cid, 'LOCATION');
    return last && toStoredPointDto(last);
  }

  /** @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING */
  async findLastWithTown(caller: Principal, { cid, withTown = false }: LastLocationQueryDto): Promise<LastLocationDto> {
    const location = await this.findLast(caller, cid);
    if (!withTown) return { location };
    return { location, town: location && (await this.geocoder.findTown(location)) };
  }

  /**
   * Returns the last location for a use that another access rule permits. Null for a child of another family.
   * @param since Unix milliseconds. An older last location is not returned.
   */
  async findLastOf({ familyId, cid }: ChildKey, since: number): Promise<Location | null> {
    const point = (await this.points.findLast(familyId, cid))?.point ?? null;
    return point && point.positionTime >= since ? point : null;
  }

  /**
   * Returns a page of the track. All pages of a simplified track are consistent unless a late point arrives between two
   * requests.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor, an empty period, or a period that is too long or has
   * too many points to simplify the track
   */
  async findTrack(caller: Principal, query: TrackQueryDto): Promise<Page<StoredPointDto>> {
    const { cid, simplify, cursor, limit = DEFAULT_PAGE_LIMIT } = query;
    assertPeriod(query, simplify === undefined ? undefined : MAX_SIMPLIFIED_TRACK.HOURS);
    const after = cursor === undefined ? undefined : decodeTrackCursor(cursor);
    const { familyId } = await this.access.requireForChild(caller, cid, 'SEE_LOCATION');
    const { from, to, credibleOnly = false } = query;
    const filter = { from, to, credibleOnly };
    const found =
      simplify === undefined
        ? await this.points.findTrack(familyId, cid, { ...filter, after, limit: limit + 1 })
        : simplifyTrack(await this.findWholePeriod(familyId, cid, filter), simplify).filter((point) =>
            isAfterCursor(after, point),
          );
    this.childReads.recordCaller(caller, cid, 'TRACK');
    const page = toPage(found, limit, ({ point, did }) => [point.positionTime, point.pointType, did]);
    return { ...page, items: page.items.map(toStoredPointDto) };
  }

  /**
   * Returns a page of visits.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor, or a period that is empty or too long
   */
  async listVisits(caller: Principal, query: VisitsQueryDto): Promise<Page<VisitDto>> {
    const { cid, from, to, cursor, limit = DEFAULT_PAGE_LIMIT } = query;
    assertPeriod(query, MAX_VISITS_PERIOD_DAYS * HOURS_PER_DAY);
    const after = cursor === undefined ? -1 : Number(decodeCursor(cursor, VISIT_CURSOR_PATTERN)[0]);
    const { familyId } = await this.access.requireForChild(caller, cid, 'SEE_LOCATION');
    const visits = detectVisits(await this.points.findBestPerMinute(familyId, cid, { from, to }));
    this.childReads.recordCaller(caller, cid, 'TRACK');
    const found = visits.filter((visit) => visit.from > after);
    return toPage(found, limit, ({ from: start }) => [start]);
  }

  private async findWholePeriod(
    familyId: string,
    cid: string,
    filter: { from: number; to: number; credibleOnly: boolean },
  ): Promise<StoredPoint[]> {
    const maxPoints = MAX_SIMPLIFIED_TRACK.POINTS;
    const points = await this.points.findTrack(familyId, cid, { ...filter, limit: maxPoints + 1 });
    if (points.length <= maxPoints) return points;
    throw validationError('to', 'maxPoints', `at most ${maxPoints} points can be simplified; request a shorter period`);
  }
}
