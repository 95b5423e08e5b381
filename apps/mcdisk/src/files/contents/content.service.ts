import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type {
  ModifyContentInfoDto,
  QueryContentInfoDto,
  ContentDto,
  ContentListDto,
  QueryContentListDto,
} from '@family-watch/domain/family-cloud/dto/content.dto';
import type { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { CONTENT_SORT, ROOT_PATH, SORT_DIRECTION } from '@family-watch/domain/family-cloud/contracts/content';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { hasRight, canSee, type CloudActor } from '../../clouds/cloud-actor.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import { assertSupportedTypes, toLimitOffset } from '../../clouds/cloud-request.js';
import { ShareService } from '../../sharing/share.service.js';
import { ContentPresenterService } from './content-presenter.service.js';
import { ContentRepository, type ListingOrder } from './content.repository.js';
import { toFolderDto, formatPath } from '../folders/folder-path.js';
import { FolderRepository } from '../folders/folder.repository.js';
import { FolderService, isRootReference } from '../folders/folder.service.js';
import type { SignedUrlRecipient } from '../../sharing/signed-urls/signed-url.service.js';

/** Lists the folders and files of a folder, and returns and changes the properties of a file. */
@Injectable()
export class ContentService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly contents: ContentRepository,
    private readonly presenter: ContentPresenterService,
    private readonly shares: ShareService,
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly folderService: FolderService,
    private readonly folders: FolderRepository,
  ) {}

  /** @throws ServiceError CONTENT_NOT_FOUND, also for contents that are in the recycle bin or not visible */
  async find(caller: Principal, origin: string, request: QueryContentInfoDto): Promise<ContentDto> {
    assertSupportedTypes(request);
    const { cloudID, contentID } = request;
    const actor = await this.access.authorize(cloudID, caller);
    const content = isUuid(contentID) ? await this.contents.findActive(cloudID, contentID) : null;
    const recipient = { cloudID, caller, origin };
    if (!content || canRead(actor, content)) return this.toDto(assertVisible(actor, content), recipient);
    if (!(await this.shares.isShared(actor, contentID))) throw new ServiceError('CONTENT_NOT_FOUND');
    // The response does not disclose the folder of a content that is only shared with the caller.
    return this.toDto({ ...content, parentFolderId: null }, recipient);
  }

  /**
   * Modifies a file. The caller needs the right to delete, or the right to add if they uploaded the file.
   * @throws ServiceError CONTENT_NOT_FOUND, PERMISSION_MISSING
   */
  async modify(caller: Principal, origin: string, request: ModifyContentInfoDto): Promise<ContentDto> {
    assertSupportedTypes(request);
    const { cloudID, contentID, contentName, shottime } = request;
    const actor = await this.access.authorize(cloudID, caller);
    const modified = await this.unitOfWork.run(async () => {
      const found = isUuid(contentID) ? await this.contents.lockActive(cloudID, contentID) : null;
      const content = assertVisible(actor, found);
      if (!canModify(actor, content)) throw new ServiceError('PERMISSION_MISSING');
      const properties = {
        name: contentName ?? content.name,
        capturedAt: shottime === undefined ? content.capturedAt : shottime,
      };
      if (properties.name === content.name && properties.capturedAt === content.capturedAt) return content;
      const changes = { ...properties, updatedAt: Date.now() };
      await this.contents.update(cloudID, contentID, changes);
      return { ...content, ...changes };
    });
    return this.toDto(modified, { cloudID, caller, origin });
  }

  /**
   * Returns a page of folders and a page of files, both with the page number and page size of the request.
   * @throws ServiceError CATALOG_NOT_FOUND
   */
  async list(caller: Principal, origin: string, request: QueryContentListDto): Promise<ContentListDto> {
    assertSupportedTypes(request);
    const { cloudID, catalogID, path, contentSortType, sortDirection, digest, pageInfo } = request;
    const actor = await this.access.authorize(cloudID, caller);
    if (!hasRight(actor, CLOUD_RIGHT.READ)) return this.listSharedContents(actor, { cloudID, caller, origin }, request);
    const resolved = await this.folderService.getOrThrow(cloudID, { catalogID, path });
    const order: ListingOrder = {
      sort: contentSortType ?? CONTENT_SORT.UPDATE_TIME,
      direction: sortDirection ?? SORT_DIRECTION.DESCENDING,
      ...toLimitOffset(pageInfo),
    };
    const { visibility } = actor;
    const folder = { cloudId: cloudID, parentFolderId: resolved.folderId, visibility, digest: digest?.toLowerCase() };
    const folders = await this.folders.findPage(cloudID, resolved.folderId, order);
    const contents = await this.contents.findPage(folder, order);
    return {
      path: formatPath(resolved.pathIds),
      totalCount: await totalOf(contents, order, () => this.contents.count(folder)),
      catalogCount: await totalOf(folders, order, () => this.folders.count(cloudID, resolved.folderId)),
      cloudCatalogList: folders.map(toFolderDto),
      cloudContentList: await this.presenter.toDtos(contents, { cloudID, caller, origin }, resolved),
    };
  }

  private async toDto(
    content: ContentEntity,
    recipient: Parameters<ContentPresenterService['toDtos']>[1],
  ): Promise<ContentDto> {
    const [dto] = await this.presenter.toDtos([content], recipient);
    if (!dto) throw new TypeError('One content must have one DTO');
    return dto;
  }

  /**
   * Lists contents for callers without the right to read, who see only a root folder with the contents that are shared
   * with them.
   */
  private async listSharedContents(
    actor: CloudActor,
    recipient: SignedUrlRecipient,
    request: QueryContentListDto,
  ): Promise<ContentListDto> {
    if (!isRootReference(request)) throw new ServiceError('CATALOG_NOT_FOUND');
    const { totalCount, contents } = await this.shares.listContents(actor, toLimitOffset(request.pageInfo));
    const cloudContentList = await this.presenter.toDtos(contents, recipient, { folderId: null, pathIds: [] });
    return { path: ROOT_PATH, totalCount, catalogCount: 0, cloudCatalogList: [], cloudContentList };
  }
}

/**
 * Checks that the actor sees the content. A content that is not visible is treated like an unknown one.
 * @throws ServiceError CONTENT_NOT_FOUND
 */
function assertVisible(actor: CloudActor, content: ContentEntity | null): ContentEntity {
  if (!content || !canRead(actor, content)) throw new ServiceError('CONTENT_NOT_FOUND');
  return content;
}

function canRead(actor: CloudActor, { cid }: ContentEntity): boolean {
  return hasRight(actor, CLOUD_RIGHT.READ) && canSee(actor, cid);
}

function canModify(actor: CloudActor, { uploader }: ContentEntity): boolean {
  return hasRight(actor, CLOUD_RIGHT.DELETE) || (hasRight(actor, CLOUD_RIGHT.ADD) && uploader === actor.principal);
}

/**
 * Returns the total number of items. A page that is not full is the last page, so the total follows from its offset and
 * length without a query.
 */
async function totalOf(
  page: readonly unknown[],
  { limit, offset }: ListingOrder,
  count: () => Promise<number>,
): Promise<number> {
  const isLast = page.length < limit && (page.length > 0 || offset === 0);
  return isLast ? offset + page.length : count();
}
