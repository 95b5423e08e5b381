import {
  BooleanField,
  IntegerField,
  NestedField,
  NestedListField,
  StringListField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { MAX_CONTENTS_PER_DELETE } from '../contracts/content.js';
import { MAX_ID_LENGTH, ContentDto } from './content.dto.js';
import { CloudIdField, CONTENT_ID_EXAMPLE, FamilyCloudRequestDto, PageInfoDto } from './family-cloud-fields.js';

export class QueryRecycleListDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @NestedField(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

/** A file in the recycle bin. Path and folder are the values from before the deletion. */
export class RecycledContentDto extends ContentDto {
  @UnixMillisecondsField({ description: 'Time of the deletion' })
  recycleTime: number;

  @UnixMillisecondsField({ description: 'When it will be deleted permanently' })
  purgeTime: number;
}

export class RecycleListDto {
  @IntegerField({ min: 0, description: 'Contents on all pages', example: 1 })
  totalCount: number;

  @NestedListField(() => RecycledContentDto, { maxItems: 200, description: 'Most recently deleted first' })
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

/** Each distinct requested id is in exactly one list of the result. */
export class RestoreContentsResultDto {
  @StringListField({ maxItems: MAX_CONTENTS_PER_DELETE, description: 'Now in the cloud, in request order' })
  restoreContIDList: string[];

  @StringListField({ maxItems: MAX_CONTENTS_PER_DELETE, description: 'Not restored, in request order' })
  failureContIDList: string[];
}

/** Permanently deletes either the named files of the recycle bin or all files in the recycle bin. */
export class PurgeContentsDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @StringListField({
    optional: true,
    minItems: 1,
    maxItems: MAX_CONTENTS_PER_DELETE,
    maxLength: MAX_ID_LENGTH,
    description: 'Exactly one of this and `all` is required.',
    example: [CONTENT_ID_EXAMPLE],
  })
  contentIDList?: string[];

  @BooleanField({ optional: true, description: '`true`: everything that is in the recycle bin now' })
  all?: boolean;
}

/** Each distinct requested id is in exactly one list of the result. */
export class PurgeContentsResultDto {
  @StringListField({ maxItems: MAX_CONTENTS_PER_DELETE, description: 'Permanently deleted, in request order' })
  purgeContIDList: string[];

  @StringListField({ maxItems: MAX_CONTENTS_PER_DELETE, description: 'Not purged, in request order' })
  failureContIDList: string[];

  @IntegerField({ min: 0, description: 'With `all`: files that are being deleted in the background', example: 0 })
  purging: number;
}
