import { Integer, Nested, NestedList, OneOf, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { CONTENT_SORT, CONTENT_STATE, CONTENT_TYPE, ROOT_PATH, SORT_DIRECTION } from '../contracts/content.js';
import type { ContentSort, ContentState, ContentType, SortDirection } from '../contracts/content.js';
import { CatalogId, CatalogPath, CloudId, CONTENT_EXAMPLE, Digest } from './family-cloud-fields.js';
import { FamilyCloudRequestDto, PageInfoDto } from './family-cloud-request.dto.js';

export class QueryContentListDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @CatalogId()
  catalogID?: string;

  @CatalogPath('Path of the catalog; with catalogID, both must name the same one')
  path?: string;

  @OneOf(CONTENT_SORT, {
    optional: true,
    description: '0 last update (default), 1 name, 2 size (folders: name), 3 creation',
  })
  contentSortType?: ContentSort;

  @OneOf(SORT_DIRECTION, { optional: true, description: '0 ascending, 1 descending (default)' })
  sortDirection?: SortDirection;

  @Nested(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

/** A folder of the cloud. */
export class CatalogDto {
  @Text()
  catalogID: string;

  @Text({ description: 'Empty: the root catalog' })
  parentCatalogID: string;

  @Text()
  catalogName: string;

  @Integer({ description: 'Always 3', example: 3 })
  catalogType: number;

  @Text({ example: 'root:/4f6d0f7e-52fb-4b1a-8b0f-0a8a54a4b6de' })
  path: string;

  @UnixMilliseconds()
  createTime: number;

  @UnixMilliseconds({ description: 'When it was last renamed or moved' })
  lastUpdateTime: number;
}

/** A file of the cloud. */
export class ContentDto {
  @Text({ example: CONTENT_EXAMPLE })
  contentID: string;

  @Text({ example: 'first day at school.jpg' })
  contentName: string;

  @Integer({ min: 0, description: 'Bytes', example: 48_213 })
  contentSize: number;

  @OneOf(CONTENT_TYPE, { description: '1 image, 2 audio, 3 video, 4 document, 5 other; told from the bytes' })
  contentType: ContentType;

  @Digest()
  digest: string;

  @Text({ description: 'Empty: the root catalog', example: '' })
  parentCatalogID: string;

  @Text({ description: 'Path of the catalog that it lies in', example: ROOT_PATH })
  path: string;

  @Text({ description: 'Who added it: `user:<userId>` or `watch:<did>`' })
  uploader: string;

  @UnixMilliseconds()
  createTime: number;

  @UnixMilliseconds()
  lastUpdateTime: number;

  @UnixMilliseconds({ nullable: true, description: 'When the picture or film was taken; null while unknown' })
  shottime: number | null;

  @Text({ maxLength: 2_000, description: 'GET a small picture of it here for five minutes; empty: none', example: '' })
  thumbnailURL: string;

  @OneOf(CONTENT_STATE)
  state: ContentState;
}

/** A page of a catalog: that many of its folders and that many of its files, each list in its own order. */
export class ContentListDto {
  @Text({ description: 'Path of the catalog that was listed', example: ROOT_PATH })
  path: string;

  @Integer({ min: 0, description: 'Contents on all pages, without folders', example: 1 })
  totalCount: number;

  @Integer({ min: 0, description: 'Folders on all pages', example: 0 })
  catalogCount: number;

  @NestedList(() => CatalogDto, { maxItems: 200, description: 'The folders of this page; empty beyond their last one' })
  cloudCatalogList: CatalogDto[];

  @NestedList(() => ContentDto, { maxItems: 200, description: 'The files of this page; empty beyond their last one' })
  cloudContentList: ContentDto[];
}
