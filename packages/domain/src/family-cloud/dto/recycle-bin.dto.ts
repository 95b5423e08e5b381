import {
  BooleanField,
  IntegerField,
  NestedField,
  NestedListField,
  StringListField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { MAX_CONTENTS_PER_DELETE } from '../contracts/content.js';
import { MAX_ID_LENGTH } from './delete-contents.dto.js';
import { CloudIdField, CONTENT_ID_EXAMPLE } from './family-cloud-fields.js';
import { FamilyCloudRequestDto, PageInfoDto } from './family-cloud-request.dto.js';
import { ContentDto } from './query-content-list.dto.js';

export class QueryRecycleListDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @NestedField(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

/** A file in the recycle bin; its path and catalog are those that it was deleted from. */
export class RecycledContentDto extends ContentDto {
  @UnixMillisecondsField({ description: 'When it was deleted' })
  recycleTime: number;

  @UnixMillisecondsField({ description: 'When the recycle bin lets it go' })
  purgeTime: number;
}

export class RecycleListDto {
  @IntegerField({ min: 0, description: 'Contents on all pages', example: 1 })
  totalCount: number;

  @NestedListField(() => RecycledContentDto, { maxItems: 200, description: 'Last deleted first' })
  contentList: RecycledContentDto[];
}

export class RestoreContentsDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @StringListField({
    minItems: 1,
    maxItems: MAX_CONTENTS_PER_DELETE,
    maxLength: MAX_ID_LENGTH,
    example: [CONTENT_ID_EXAMPLE],
  })
  contentIDList: string[];
}

/** Together exactly the distinct ids asked for. */
export class RestoreContentsResultDto {
  @StringListField({ maxItems: MAX_CONTENTS_PER_DELETE, description: 'In the cloud, in the order first named' })
  restoreContIDList: string[];

  @StringListField({ maxItems: MAX_CONTENTS_PER_DELETE, description: 'Not restored, in the order first named' })
  failureContIDList: string[];
}

/** Names either some contents of the recycle bin or all of them. */
export class PurgeContentsDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @StringListField({
    optional: true,
    minItems: 1,
    maxItems: MAX_CONTENTS_PER_DELETE,
    maxLength: MAX_ID_LENGTH,
    description: 'Either this or `all`',
    example: [CONTENT_ID_EXAMPLE],
  })
  contentIDList?: string[];

  @BooleanField({ optional: true, description: '`true`: everything that is in the recycle bin now' })
  all?: boolean;
}

/** The lists together are exactly the distinct ids asked for. */
export class PurgeContentsResultDto {
  @StringListField({ maxItems: MAX_CONTENTS_PER_DELETE, description: 'Gone for good, in the order first named' })
  purgeContIDList: string[];

  @StringListField({ maxItems: MAX_CONTENTS_PER_DELETE, description: 'Not purged, in the order first named' })
  failureContIDList: string[];

  @IntegerField({ min: 0, description: 'Contents that go from now on, when all are to go; 0 otherwise', example: 0 })
  purging: number;
}
