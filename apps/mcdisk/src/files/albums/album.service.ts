import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  MAX_ALBUMS_PER_CLOUD,
  MAX_CONTENTS_PER_ALBUM,
  CONTENT_STATE,
} from '@family-watch/domain/family-cloud/contracts/content';
import { CLOUD_RIGHT, CLOUD_ROLE } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type {
  CloudPhotoDto,
  CloudPhotoListDto,
  CreateCloudPhotoDto,
  DeleteCloudPhotoDto,
  DeleteCloudPhotoResultDto,
  ModifyCloudPhotoDto,
  QueryCloudPhotoDto,
  AddPhotoContentsResultDto,
  PhotoContentListDto,
  PhotoContentsDto,
  QueryPhotoContentsDto,
  RemovePhotoContentsResultDto,
} from '@family-watch/domain/family-cloud/dto/cloud-photo.dto';
import type { AlbumEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { hasRight, canSee, type CloudActor } from '../../clouds/cloud-actor.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import { toLimitOffset, assertSupportedTypes } from '../../clouds/cloud-request.js';
import { AlbumRepository, type ListedAlbum, type AlbumCandidate } from './album.repository.js';
import { SignedUrlService, type SignedUrlRecipient } from '../../sharing/signed-urls/signed-url.service.js';
import { ContentPresenterService } from '../contents/content-presenter.service.js';
import { decideBulkOutcomes, ITEM_OUTCOME } from '../contents/bulk-decisions.js';

const SINGLE_ITEM_PAGE = { limit: 1, offset: 0 };

/** Creates, modifies, deletes and lists the albums of a family cloud. */
@Injectable()
export class AlbumService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly albums: AlbumRepository,
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly signedUrls: SignedUrlService,
    private readonly presenter: ContentPresenterService,
  ) {}

  /** @throws ServiceError LIMIT_REACHED when the cloud has MAX_ALBUMS_PER_CLOUD albums */
  async create(caller: Principal, request: CreateCloudPhotoDto): Promise<CloudPhotoDto> {
    assertSupportedTypes(request);
    const { cloudID, photoName } = request;
    const { principal, cid } = await this.access.authorizeFor(cloudID, caller, CLOUD_RIGHT.ADD);
    const [albumId, now] = [randomUUID(), Date.now()];
    const album = { albumId, cloudId: cloudID, cid, name: photoName, coverContentId: null, createdBy: principal };
    const created = await this.unitOfWork.run(() =>
      this.albums.insertWithinLimit(MAX_ALBUMS_PER_CLOUD, { ...album, createdAt: now, updatedAt: now }),
    );
    if (!created) throw new ServiceError('LIMIT_REACHED');
    return {
      photoID: albumId,
      photoName,
      photoCoverURL: '',
      contentCount: 0,
      createTime: now,
      lastUpdateTime: now,
    };
  }

  /**
   * Changes the name or the cover of an album. Omitted fields are unchanged; an empty `coverContentID` clears the
   * cover.
   * @throws ServiceError ALBUM_NOT_FOUND, PERMISSION_MISSING, or CONTENT_NOT_FOUND for a cover that is not in the album
   */
  async modify(caller: Principal, request: ModifyCloudPhotoDto, origin: string): Promise<CloudPhotoDto> {
    assertSupportedTypes(request);
    const { cloudID, photoID, photoName, coverContentID } = request;
    const actor = await this.requireReader(cloudID, caller);
    const listed = await this.unitOfWork.run(async () => {
      const album = await this.lockModifiable(actor, photoID);
      if (coverContentID !== undefined && coverContentID !== '') await this.assertCover(actor, photoID, coverContentID);
      await this.albums.update(album, {
        updatedAt: Date.now(),
        ...(photoName === undefined ? {} : { name: photoName }),
        ...(coverContentID === undefined ? {} : { coverContentId: coverContentID || null }),
      });
      return this.albums.list(cloudID, { visibility: actor.visibility, albumId: photoID, ...SINGLE_ITEM_PAGE });
    });
    const [changed] = await this.toDtos({ cloudID, caller, origin }, listed);
    if (!changed) throw new ServiceError('ALBUM_NOT_FOUND');
    return changed;
  }

  /**
   * Deletes albums; their contents stay in the cloud. The id of an album that was deleted before is reported as failed,
   * like an unknown id.
   */
  async delete(caller: Principal, request: DeleteCloudPhotoDto): Promise<DeleteCloudPhotoResultDto> {
    assertSupportedTypes(request);
    const { cloudID, photoIDList } = request;
    const actor = await this.access.authorize(cloudID, caller);
    const ids = [...new Set(photoIDList)];
    return this.unitOfWork.run(async () => {
      const found = await this.albums.lockMany(cloudID, ids.filter(isUuid));
      const deleted = new Set(
        found
          .filter((album) => this.isVisible(actor, album) && canModifyAlbum(actor, album))
          .map(({ albumId }) => albumId),
      );
      if (deleted.size > 0) await this.albums.deleteMany(cloudID, [...deleted]);
      return {
        deletePhotoIDList: ids.filter((id) => deleted.has(id)),
        failurePhotoIDList: ids.filter((id) => !deleted.has(id)),
      };
    });
  }

  /** Lists visible albums, most recently changed first. The list is empty for callers without the right to read. */
  async list(caller: Principal, request: QueryCloudPhotoDto, origin: string): Promise<CloudPhotoListDto> {
    assertSupportedTypes(request);
    const { cloudID, pageInfo } = request;
    const actor = await this.access.authorize(cloudID, caller);
    if (!hasRight(actor, CLOUD_RIGHT.READ)) return { totalCount: 0, cloudPhotoList: [] };
    const { visibility } = actor;
    const albums = await this.albums.list(cloudID, { visibility, ...toLimitOffset(pageInfo) });
    const totalCount = await this.albums.count(cloudID, visibility);
    return { totalCount, cloudPhotoList: await this.toDtos({ cloudID, caller, origin }, albums) };
  }

  /**
   * Authorizes the caller, who needs the right to read.
   * @throws ServiceError ALBUM_NOT_FOUND without the right to read, and the errors of `CloudAccessService.authorize`
   */
  async requireReader(cloudID: string, caller: Principal): Promise<CloudActor> {
    const actor = await this.access.authorize(cloudID, caller);
    if (!hasRight(actor, CLOUD_RIGHT.READ)) throw new ServiceError('ALBUM_NOT_FOUND');
    return actor;
  }

  /** @throws ServiceError ALBUM_NOT_FOUND */
  async getOrThrow(actor: CloudActor, photoID: string): Promise<AlbumEntity> {
    return this.requireVisible(actor, isUuid(photoID) ? await this.albums.find(actor.cloudId, photoID) : null);
  }

  /**
   * Locks a visible album. Must be called in a transaction.
   * @throws ServiceError ALBUM_NOT_FOUND for an album that does not exist or is not visible to the actor
   */
  async lock(actor: CloudActor, photoID: string): Promise<AlbumEntity> {
    return this.requireVisible(actor, isUuid(photoID) ? await this.albums.lock(actor.cloudId, photoID) : null);
  }

  /**
   * Locks an album that the actor may modify. Must be called in a transaction.
   * @throws ServiceError ALBUM_NOT_FOUND, PERMISSION_MISSING
   */
  async lockModifiable(actor: CloudActor, photoID: string): Promise<AlbumEntity> {
    const album = await this.lock(actor, photoID);
    if (!canModifyAlbum(actor, album)) throw new ServiceError('PERMISSION_MISSING');
    return album;
  }

  /**
   * Lists the active contents of an album that are visible to the caller.
   * @throws ServiceError ALBUM_NOT_FOUND for an album that does not exist or is not visible to the caller
   */
  async listContents(caller: Principal, request: QueryPhotoContentsDto, origin: string): Promise<PhotoContentListDto> {
    assertSupportedTypes(request);
    const { cloudID, photoID, pageInfo } = request;
    const actor = await this.requireReader(cloudID, caller);
    const album = await this.getOrThrow(actor, photoID);
    const found = await this.albums.listContents(album, actor.visibility, toLimitOffset(pageInfo));
    const totalCount = await this.albums.countContents(album, actor.visibility);
    return { totalCount, cloudContentList: await this.presenter.toDtos(found, { cloudID, caller, origin }) };
  }

  /**
   * Adds active contents to a visible album; those that are already in the album count as added. The caller needs the
   * right to add to the cloud. Locks the contents before the album.
   * @throws ServiceError ALBUM_NOT_FOUND, PERMISSION_MISSING, LIMIT_REACHED; after any of these errors the album is
   * unchanged
   */
  async addContents(caller: Principal, request: PhotoContentsDto): Promise<AddPhotoContentsResultDto> {
    assertSupportedTypes(request);
    const { cloudID, photoID, contentIDList } = request;
    const actor = await this.requireReader(cloudID, caller);
    if (!hasRight(actor, CLOUD_RIGHT.ADD)) throw new ServiceError('PERMISSION_MISSING');
    const ids = [...new Set(contentIDList)];
    return this.unitOfWork.run(async () => {
      const found = await this.albums.lockContentsForShare(cloudID, ids.filter(isUuid));
      const album = await this.lock(actor, photoID);
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
  async removeContents(caller: Principal, request: PhotoContentsDto): Promise<RemovePhotoContentsResultDto> {
    assertSupportedTypes(request);
    const { cloudID, photoID, contentIDList } = request;
    const actor = await this.requireReader(cloudID, caller);
    const ids = [...new Set(contentIDList)];
    return this.unitOfWork.run(async () => {
      const album = await this.lockModifiable(actor, photoID);
      const found = await this.albums.findContents(cloudID, ids.filter(isUuid));
      const inAlbum = await this.albums.findIdsInAlbum(cloudID, photoID, ids.filter(isUuid));
      // Contents in any state can be removed from an album.
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

  /** Converts albums to DTOs, each with a signed URL of the thumbnail of its cover. */
  private async toDtos(recipient: SignedUrlRecipient, albums: readonly ListedAlbum[]): Promise<CloudPhotoDto[]> {
    const coverIds = albums.flatMap(({ coverId }) => coverId ?? []);
    const covers = await this.albums.findActiveInOrder(recipient.cloudID, coverIds);
    const coverUrls = await this.signedUrls.createThumbnailUrls(recipient, covers);
    return albums.map(({ albumId, name, createdAt, updatedAt, contentCount, coverId }) => ({
      photoID: albumId,
      photoName: name,
      photoCoverURL: coverUrls.get(coverId ?? '') ?? '',
      contentCount,
      createTime: createdAt,
      lastUpdateTime: updatedAt,
    }));
  }

  private requireVisible(actor: CloudActor, album: AlbumEntity | null): AlbumEntity {
    if (!album || !this.isVisible(actor, album)) throw new ServiceError('ALBUM_NOT_FOUND');
    return album;
  }

  private isVisible(actor: CloudActor, { cid }: AlbumEntity): boolean {
    return hasRight(actor, CLOUD_RIGHT.READ) && canSee(actor, cid);
  }

  private async assertCover(actor: CloudActor, photoID: string, contentID: string): Promise<void> {
    const isInAlbum = isUuid(contentID) && (await this.albums.isInAlbum(actor, photoID, contentID));
    if (!isInAlbum) throw new ServiceError('CONTENT_NOT_FOUND');
  }
}

/**
 * Returns whether the actor is the owner, a manager or the creator of the album. A watch acts for its child, so it may
 * also modify the albums that a former watch of this child created.
 */
function canModifyAlbum(actor: CloudActor, { createdBy, cid }: Pick<AlbumEntity, 'createdBy' | 'cid'>): boolean {
  if (actor.role === CLOUD_ROLE.OWNER || actor.role === CLOUD_ROLE.MANAGER) return true;
  return actor.cid === null ? actor.principal === createdBy : actor.cid === cid;
}

function idsOf(contents: readonly AlbumCandidate[]): string[] {
  return contents.map(({ contentId }) => contentId);
}
