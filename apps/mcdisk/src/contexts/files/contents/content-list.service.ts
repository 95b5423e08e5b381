import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { CONTENT_SORT, ROOT_PATH, SORT_DIRECTION } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentListDto, QueryContentListDto } from '@family-watch/domain/family-cloud/dto/content.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { toFolderDto, formatPath } from '../folders/folder-path.js';
import { FolderListingRepository } from '../folders/folder-listing.repository.js';
import { FolderLookupService, isRootReference } from '../folders/folder-lookup.service.js';
import { hasRight } from '../../clouds/cloud-actor.js';
import type { CloudActor } from '../../clouds/cloud-actor.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import { toLimitOffset, assertSupportedTypes } from '../../clouds/cloud-request.js';
import type { SignedUrlRecipient } from '../../downloads/signed-urls/signed-url.service.js';
import { SharedContentsService } from '../../sharing/shared-contents.service.js';
import { ContentListingRepository } from './content-listing.repository.js';
import { ContentPresenterService } from './content-presenter.service.js';
import type { ListingOrder } from './listing-order.js';

/** Lists the folders and files of a folder. */
@Injectable()
export class ContentListService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly lookup: FolderLookupService,
    private readonly folders: FolderListingRepository,
    private readonly contents: ContentListingRepository,
    private readonly shared: SharedContentsService,
    private readonly presenter: ContentPresenterService,
  ) {}

  /**
   * Returns a page of folders and a page of files, both with the page number and page size of the request.
   * @throws ServiceError CATALOG_NOT_FOUND
   */
  async list(caller: Principal, origin: string, request: QueryContentListDto): Promise<ContentListDto> {
    assertSupportedTypes(request);
    const { cloudID, catalogID, path, contentSortType, sortDirection, pageInfo } = request;
    const actor = await this.access.authorize(cloudID, caller);
    if (!hasRight(actor, CLOUD_RIGHT.READ)) return this.listSharedContents(actor, { cloudID, caller, origin }, request);
    const resolved = await this.lookup.getOrThrow(cloudID, { catalogID, path });
    const order: ListingOrder = {
      sort: contentSortType ?? CONTENT_SORT.UPDATE_TIME,
      direction: sortDirection ?? SORT_DIRECTION.DESCENDING,
      ...toLimitOffset(pageInfo),
    };
    const folder = { cloudId: cloudID, parentFolderId: resolved.folderId, visibility: actor.visibility };
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
    const { totalCount, contents } = await this.shared.list(actor, toLimitOffset(request.pageInfo));
    const cloudContentList = await this.presenter.toDtos(contents, recipient, { folderId: null, pathIds: [] });
    return { path: ROOT_PATH, totalCount, catalogCount: 0, cloudCatalogList: [], cloudContentList };
  }
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
