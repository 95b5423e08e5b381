import { Injectable } from '@nestjs/common';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { validationError } from '@family-watch/domain/kernel/contracts/service-error';
import { MAX_SIMPLIFIED_PERIOD } from '@family-watch/domain/locations/contracts/location';
import type { StoredPointDto, TrackQueryDto } from '@family-watch/domain/locations/dto/track.dto';
import { FamilyAccessService } from '../../families/family-access.service.js';
import type { StoredPoint } from '../point-row.js';
import { toStoredPointDto } from '../stored-point-dto.js';
import { assertPeriod } from './period.js';
import { simplifyTrack } from './simplify-track.js';
import { decodeTrackCursor, encodeTrackCursor, isAfterCursor } from './track-cursor.js';
import { TrackRepository } from './track.repository.js';

/** Returns tracks of children to authorized members. */
@Injectable()
export class TrackService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly tracks: TrackRepository,
  ) {}

  /**
   * Returns a page of the track. All pages of a simplified track are consistent unless a late point arrives between two
   * requests.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor, an empty period or one that is too long to simplify
   */
  async findTrack(caller: Principal, query: TrackQueryDto): Promise<Page<StoredPointDto>> {
    const { cid, simplify, cursor, limit = DEFAULT_PAGE_LIMIT } = query;
    assertPeriod(query, simplify === undefined ? undefined : MAX_SIMPLIFIED_PERIOD.HOURS);
    const after = cursor === undefined ? undefined : decodeTrackCursor(cursor);
    const { familyId } = await this.access.requireForChild(caller, cid, 'SEE_LOCATION');
    const { from, to, credibleOnly = false } = query;
    const filter = { from, to, credibleOnly };
    const found =
      simplify === undefined
        ? await this.tracks.find(familyId, cid, { ...filter, after, limit: limit + 1 })
        : simplifyTrack(await this.findWholePeriod(familyId, cid, filter), simplify).filter((point) =>
            isAfterCursor(after, point),
          );
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      items: page.map(toStoredPointDto),
      nextCursor: last ? encodeTrackCursor({ ...last.point, did: last.did }) : null,
    };
  }

  private async findWholePeriod(
    familyId: string,
    cid: string,
    filter: { from: number; to: number; credibleOnly: boolean },
  ): Promise<StoredPoint[]> {
    const maxPoints = MAX_SIMPLIFIED_PERIOD.POINTS;
    const points = await this.tracks.find(familyId, cid, { ...filter, limit: maxPoints + 1 });
    if (points.length <= maxPoints) return points;
    throw validationError('to', 'maxPoints', `at most ${maxPoints} points can be simplified; request a shorter period`);
  }
}
