import { Flag, Integer, Nested, NestedList, TextList, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { MAX_DELETED_CONTENTS } from '../contracts/content.js';
import { MAX_ID_LENGTH } from './delete-contents.dto.js';
import { CloudId, CONTENT_EXAMPLE } from './family-cloud-fields.js';
import { FamilyCloudRequestDto, PageInfoDto } from './family-cloud-request.dto.js';
import { ContentDto } from './query-content-list.dto.js';

export class QueryRecycleListDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @Nested(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

/** A file in the recycle bin; its path and catalog are those that it was deleted from. */
export class RecycledContentDto extends ContentDto {
  @UnixMilliseconds({ description: 'When it was deleted' })
  recycleTime: number;

  @UnixMilliseconds({ description: 'When the recycle bin lets it go' })
  purgeTime: number;
}

export class RecycleListDto {
  @Integer({ min: 0, description: 'Contents on all pages', example: 1 })
  totalCount: number;

  @NestedList(() => RecycledContentDto, { maxItems: 200, description: 'Last deleted first' })
  contentList: RecycledContentDto[];
}

export class RestoreContentsDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @TextList({ minItems: 1, maxItems: MAX_DELETED_CONTENTS, maxLength: MAX_ID_LENGTH, example: [CONTENT_EXAMPLE] })
  contentIDList: string[];
}

/** Together exactly the distinct ids asked for. */
export class RestoreContentsResultDto {
  @TextList({ maxItems: MAX_DELETED_CONTENTS, description: 'In the cloud, in the order first named' })
  restoreContIDList: string[];

  @TextList({ maxItems: MAX_DELETED_CONTENTS, description: 'Not restored, in the order first named' })
  failureContIDList: string[];
}

/** Names either some contents of the recycle bin or all of them. */
export class PurgeContentsDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @TextList({
    optional: true,
    minItems: 1,
    maxItems: MAX_DELETED_CONTENTS,
    maxLength: MAX_ID_LENGTH,
    description: 'Either this or `all`',
    example: [CONTENT_EXAMPLE],
  })
  contentIDList?: string[];

  @Flag({ optional: true, description: '`true`: everything that is in the recycle bin now' })
  all?: boolean;
}

/** The lists together are exactly the distinct ids asked for. */
export class PurgeContentsResultDto {
  @TextList({ maxItems: MAX_DELETED_CONTENTS, description: 'Gone for good, in the order first named' })
  purgeContIDList: string[];

  @TextList({ maxItems: MAX_DELETED_CONTENTS, description: 'Not purged, in the order first named' })
  failureContIDList: string[];

  @Integer({ min: 0, description: 'Contents that go from now on, when all are to go; 0 otherwise', example: 0 })
  purging: number;
}
