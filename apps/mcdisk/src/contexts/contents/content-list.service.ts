import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { CONTENT_SORT, ROOT_PATH, SORT_DIRECTION } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentListDto, QueryContentListDto } from '@family-watch/domain/family-cloud/dto/query-content-list.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { catalogDto } from '../catalogs/catalog-dto.js';
import { CatalogListingRepository } from '../catalogs/catalog-listing.repository.js';
import { CatalogLookup, namesRoot } from '../catalogs/catalog-lookup.service.js';
import { mayIn } from '../clouds/cloud.access.js';
import type { CloudActor } from '../clouds/cloud.access.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { windowOf } from '../clouds/page-window.js';
import { assertSupported } from '../clouds/supported-types.js';
import type { LinkAudience } from '../links/thumbnail-links.service.js';
import { SharedContents } from '../sharing/shared-contents.service.js';
import { formatPath } from './catalog-path.js';
import { ContentListingRepository } from './content-listing.repository.js';
import { ContentPresenter } from './content-presenter.service.js';
import type { ListingOrder } from './listing-order.js';

/** The list of a folder. */
@Injectable()
export class ContentListService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly lookup: CatalogLookup,
    private readonly catalogs: CatalogListingRepository,
    private readonly contents: ContentListingRepository,
    private readonly shared: SharedContents,
    private readonly presenter: ContentPresenter,
  ) {}

  /**
   * A page has that many folders and that many files: both lists are walked by the same page number.
   * @throws ServiceError CATALOG_NOT_FOUND
   */
  async list(caller: Principal, origin: string, request: QueryContentListDto): Promise<ContentListDto> {
    assertSupported(request);
    const { cloudID, catalogID, path, contentSortType, sortDirection, pageInfo } = request;
    const actor = await this.access.admit(cloudID, caller);
    if (!mayIn(actor, CLOUD_RIGHT.READ)) return this.listShared(actor, { cloudID, caller, origin }, request);
    const place = await this.lookup.require(cloudID, { catalogID, path });
    const order: ListingOrder = {
      sort: contentSortType ?? CONTENT_SORT.UPDATE_TIME,
      direction: sortDirection ?? SORT_DIRECTION.DESCENDING,
      ...windowOf(pageInfo),
    };
    const folder = { cloudId: cloudID, parentFolderId: place.folderId, sight: actor.sight };
    const catalogs = await this.catalogs.findPage(cloudID, place.folderId, order);
    const contents = await this.contents.findPage(folder, order);
    return {
      path: formatPath(place.pathIds),
      totalCount: await totalOf(contents, order, () => this.contents.count(folder)),
      catalogCount: await totalOf(catalogs, order, () => this.catalogs.count(cloudID, place.folderId)),
      cloudCatalogList: catalogs.map(catalogDto),
      cloudContentList: await this.presenter.present(contents, { cloudID, caller, origin }, place),
    };
  }

  /** Whoever may not read has a root catalog with what is shared with them, and knows of no other. */
  private async listShared(
    actor: CloudActor,
    audience: LinkAudience,
    request: QueryContentListDto,
  ): Promise<ContentListDto> {
    if (!namesRoot(request)) throw new ServiceError('CATALOG_NOT_FOUND');
    const { totalCount, contents } = await this.shared.list(actor, windowOf(request.pageInfo));
    const cloudContentList = await this.presenter.present(contents, audience, { folderId: null, pathIds: [] });
    return { path: ROOT_PATH, totalCount, catalogCount: 0, cloudCatalogList: [], cloudContentList };
  }
}

/** A page that is not full is the last one: what is on all pages is known without counting. */
async function totalOf(
  page: readonly unknown[],
  { limit, offset }: ListingOrder,
  count: () => Promise<number>,
): Promise<number> {
  const isLast = page.length < limit && (page.length > 0 || offset === 0);
  return isLast ? offset + page.length : count();
}
