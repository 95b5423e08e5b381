import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { CONTENT_SORT, ROOT_PATH, SORT_DIRECTION } from '@family-watch/domain/family-cloud/contracts/content';
import type {
  ContentDto,
  ContentListDto,
  QueryContentListDto,
} from '@family-watch/domain/family-cloud/dto/query-content-list.dto';
import type { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entity';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { mayIn } from '../clouds/cloud.access.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { windowOf } from '../clouds/page-window.js';
import { assertSupported } from '../clouds/supported-types.js';
import { assertRootCatalog } from './root-catalog.js';
import { ContentRepository } from './content.repository.js';

@Injectable()
export class ContentService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly contents: ContentRepository,
  ) {}

  /** What of a catalog the caller may see; somebody who may not read sees an empty one. */
  async list(caller: Principal, request: QueryContentListDto): Promise<ContentListDto> {
    assertSupported(request);
    const actor = await this.access.admit(request.cloudID, caller);
    assertRootCatalog({ catalogID: request.catalogID });
    const [contents, totalCount] = mayIn(actor, CLOUD_RIGHT.READ)
      ? await this.contents.findListed(request.cloudID, {
          parentCatalogId: null,
          sight: actor.sight,
          sort: request.contentSortType ?? CONTENT_SORT.UPDATE_TIME,
          direction: request.sortDirection ?? SORT_DIRECTION.DESCENDING,
          ...windowOf(request.pageInfo),
        })
      : [[], 0];
    return { path: ROOT_PATH, totalCount, cloudCatalogList: [], cloudContentList: contents.map(toDto) };
  }
}

function toDto(content: ContentEntity): ContentDto {
  return {
    contentID: content.contentId,
    contentName: content.name,
    contentSize: content.size,
    contentType: content.type,
    digest: content.digest,
    parentCatalogID: content.parentCatalogId ?? '',
    uploader: content.uploader,
    createTime: content.createdAt,
    lastUpdateTime: content.updatedAt,
    state: content.state,
  };
}
