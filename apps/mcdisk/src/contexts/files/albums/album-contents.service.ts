import { Injectable } from '@nestjs/common';
import { MAX_CONTENTS_PER_ALBUM, CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type {
  AddPhotoContentsResultDto,
  PhotoContentListDto,
  PhotoContentsDto,
  QueryPhotoContentsDto,
  RemovePhotoContentsResultDto,
} from '@family-watch/domain/family-cloud/dto/cloud-photo.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import { hasRight, canSee } from '../../clouds/cloud-actor.js';
import { toLimitOffset, assertSupportedTypes } from '../../clouds/cloud-request.js';
import { ContentPresenterService } from '../contents/content-presenter.service.js';
import { AlbumRepository } from './album.repository.js';
import type { AlbumCandidate } from './album.repository.js';
import { AlbumService } from './album.service.js';
import { decideBulkOutcomes, ITEM_OUTCOME } from '../contents/bulk-decisions.js';

/** Lists, adds and removes the contents of albums. */
@Injectable()
export class AlbumContentsService {
  constructor(
    private readonly albumService: AlbumService,
    private readonly albums: AlbumRepository,
    private readonly presenter: ContentPresenterService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** Lists active contents that are visible to the caller. @throws ServiceError ALBUM_NOT_FOUND */
  async list(caller: Principal, request: QueryPhotoContentsDto, origin: string): Promise<PhotoContentListDto> {
    assertSupportedTypes(request);
    const { cloudID, photoID, pageInfo } = request;
    const actor = await this.albumService.requireReader(cloudID, caller);
    const album = await this.albumService.getOrThrow(actor, photoID);
    const found = await this.albums.listContents(album, actor.visibility, toLimitOffset(pageInfo));
    const totalCount = await this.albums.countContents(album, actor.visibility);
    return { totalCount, cloudContentList: await this.presenter.toDtos(found, { cloudID, caller, origin }) };
  }

  /**
   * Adds active contents to a visible album; those that are already in the album count as added. The caller needs the right to add to the cloud. Locks the contents before the
   * album.
   * @throws ServiceError ALBUM_NOT_FOUND, PERMISSION_MISSING, LIMIT_REACHED; after any of these errors the album is
   * unchanged
   */
  async add(caller: Principal, request: PhotoContentsDto): Promise<AddPhotoContentsResultDto> {
    assertSupportedTypes(request);
    const { cloudID, photoID, contentIDList } = request;
    const actor = await this.albumService.requireReader(cloudID, caller);
    if (!hasRight(actor, CLOUD_RIGHT.ADD)) throw new ServiceError('PERMISSION_MISSING');
    const ids = [...new Set(contentIDList)];
    return this.unitOfWork.run(async () => {
      const found = await this.albums.lockContentsForShare(cloudID, ids.filter(isUuid));
      const album = await this.albumService.lock(actor, photoID);
      const inAlbum = await this.albums.findIdsInAlbum(cloudID, photoID, ids.filter(isUuid));
      const { doneIds, failedIds, changedContents } = decideBulkOutcomes(ids, found, ({ contentId, cid, state }) => {
        if (!canSee(actor, cid)) return ITEM_OUTCOME.FAILS;
        if (inAlbum.has(contentId)) return ITEM_OUTCOME.UNCHANGED;
        return state === CONTENT_STATE.ACTIVE ? ITEM_OUTCOME.CHANGES : ITEM_OUTCOME.FAILS;
      });
      if (changedContents.length > 0) {
        const count = await this.albums.countAllContents(cloudID, photoID);
        if (count + changedContents.length > MAX_CONTENTS_PER_ALBUM) throw new ServiceError('LIMIT_REACHED');
        const now = Date.now();
        await this.albums.addContents(cloudID, photoID, idsOf(changedContents), now);
        await this.albums.update(album, { updatedAt: now });
      }
      return { addContIDList: doneIds, failureContIDList: failedIds };
    });
  }

  /** @throws ServiceError ALBUM_NOT_FOUND, PERMISSION_MISSING */
  async remove(caller: Principal, request: PhotoContentsDto): Promise<RemovePhotoContentsResultDto> {
    assertSupportedTypes(request);
    const { cloudID, photoID, contentIDList } = request;
    const actor = await this.albumService.requireReader(cloudID, caller);
    const ids = [...new Set(contentIDList)];
    return this.unitOfWork.run(async () => {
      const album = await this.albumService.lockModifiable(actor, photoID);
      const found = await this.albums.findContents(cloudID, ids.filter(isUuid));
      const inAlbum = await this.albums.findIdsInAlbum(cloudID, photoID, ids.filter(isUuid));
      // Contents in any state can be removed.
      const { doneIds, failedIds, changedContents } = decideBulkOutcomes(ids, found, ({ contentId, cid }) => {
        if (!canSee(actor, cid)) return ITEM_OUTCOME.FAILS;
        return inAlbum.has(contentId) ? ITEM_OUTCOME.CHANGES : ITEM_OUTCOME.UNCHANGED;
      });
      if (changedContents.length > 0) {
        await this.albums.removeContents(cloudID, photoID, idsOf(changedContents));
        const wasCover = idsOf(changedContents).includes(album.coverContentId ?? '');
        await this.albums.update(album, { updatedAt: Date.now(), ...(wasCover ? { coverContentId: null } : {}) });
      }
      return { removeContIDList: doneIds, failureContIDList: failedIds };
    });
  }
}

function idsOf(contents: readonly AlbumCandidate[]): string[] {
  return contents.map(({ contentId }) => contentId);
}
