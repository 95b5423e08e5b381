import { Injectable } from '@nestjs/common';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { validationError } from '@family-watch/domain/kernel/contracts/service-error';
import { MAX_SIMPLIFIED_PERIOD } from '@family-watch/domain/locations/contracts/track';
import type { StoredPointDto, TrackQueryDto } from '@family-watch/domain/locations/dto/location-view.dto';
import { FamilyAccessService } from '../../families/family-access.service.js';
import type { StoredPoint } from '../point-row.js';
import { toStoredPointDto } from '../stored-point-dto.js';
import { assertPeriod } from './period.js';
import { simplifyTrack } from './simplify-track.js';
import { decodeTrackCursor, encodeTrackCursor, isAfterCursor } from './track-cursor.js';
import { TrackRepository } from './track.repository.js';

/** Where children were, for those who may know it. */
@Injectable()
export class TrackService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly tracks: TrackRepository,
  ) {}

  /**
   * A simplified track is the same for every page of it, as long as no late point comes between two pages.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING; VALIDATION_FAILED for a cursor that is none, an empty
   * period, and one that is too long to be simplified.
   */
  async findTrack(caller: Principal, query: TrackQueryDto): Promise<Page<StoredPointDto>> {
    const { cid, simplify, cursor, limit = DEFAULT_PAGE_LIMIT } = query;
    assertPeriod(query, simplify === undefined ? undefined : MAX_SIMPLIFIED_PERIOD.HOURS);
    const after = cursor === undefined ? undefined : decodeTrackCursor(cursor);
    const { familyId } = await this.access.requireForChild(caller, cid, 'SEE_LOCATION');
    const { from, to, credibleOnly = false } = query;
    const question = { from, to, credibleOnly };
    const found =
      simplify === undefined
        ? await this.tracks.find(familyId, cid, { ...question, after, limit: limit + 1 })
        : simplifyTrack(await this.whole(familyId, cid, question), simplify).filter((point) =>
            isAfterCursor(after, point),
          );
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      items: page.map(toStoredPointDto),
      nextCursor: last ? encodeTrackCursor({ ...last.point, did: last.did }) : null,
    };
  }

  private async whole(
    familyId: string,
    cid: string,
    question: { from: number; to: number; credibleOnly: boolean },
  ): Promise<StoredPoint[]> {
    const most = MAX_SIMPLIFIED_PERIOD.POINTS;
    const points = await this.tracks.find(familyId, cid, { ...question, limit: most + 1 });
    if (points.length <= most) return points;
    throw validationError('to', 'maxPoints', `only ${most} points can be simplified at once; ask for a shorter period`);
  }
}
