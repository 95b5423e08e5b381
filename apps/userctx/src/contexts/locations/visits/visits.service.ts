import { Injectable } from '@nestjs/common';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { MAX_VISITS_PERIOD_DAYS } from '@family-watch/domain/locations/contracts/location';
import { detectVisits } from '@family-watch/domain/locations/visits';
import type { Visit } from '@family-watch/domain/locations/visits';
import type { VisitsQueryDto } from '@family-watch/domain/locations/dto/track.dto';
import { decodeCursor, encodeCursor } from '@family-watch/platform/http/page-cursor';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { assertPeriod } from '../track/period.js';
import { TrackRepository } from '../track/track.repository.js';

const HOURS_PER_DAY = 24;
/** A cursor is the start time of the last visit of a page, in Unix milliseconds. */
const CURSOR_PATTERN = /^(\d{1,16})$/;

/** Lists visits of children. Visits are detected on each request, so they always include late points. */
@Injectable()
export class VisitsService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly tracks: TrackRepository,
  ) {}

  /**
   * Returns a page of visits.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor, or a period that is empty or too long
   */
  async list(caller: Principal, query: VisitsQueryDto): Promise<Page<Visit>> {
    const { cid, from, to, cursor, limit = DEFAULT_PAGE_LIMIT } = query;
    assertPeriod(query, MAX_VISITS_PERIOD_DAYS * HOURS_PER_DAY);
    const after = cursor === undefined ? -1 : Number(decodeCursor(cursor, CURSOR_PATTERN)[0]);
    const { familyId } = await this.access.requireForChild(caller, cid, 'SEE_LOCATION');
    const visits = detectVisits(await this.tracks.findBestPerMinute(familyId, cid, { from, to }));
    const found = visits.filter((visit) => visit.from > after);
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    return { items, nextCursor: last ? encodeCursor(last.from) : null };
  }
}
