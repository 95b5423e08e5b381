import {
  BooleanField,
  IntegerField,
  NestedField,
  NestedListField,
  ReferenceListField,
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

/** A file in the recycle bin. `path` and `parentCatalogID` identify the folder that contained the file. */
export class RecycledContentDto extends ContentDto {
  @UnixMillisecondsField({ description: 'Time of the deletion' })
  recycleTime: number;

  @UnixMillisecondsField({ description: 'When the file will be deleted permanently' })
  purgeTime: number;
}

export class RecycleListDto {
  @IntegerField({ min: 0, description: 'Number of files on all pages', example: 1 })
  totalCount: number;

  @NestedListField(() => RecycledContentDto, { maxItems: 200, description: 'Most recently deleted first' })
  contentList: RecycledContentDto[];
}

export class RestoreContentsDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceListField({
    minItems: 1,
    maxItems: MAX_CONTENTS_PER_DELETE,
    maxLength: MAX_ID_LENGTH,
    example: [CONTENT_ID_EXAMPLE],
  })
  contentIDList: string[];
}

/** Each distinct requested id is in exactly one list of the result. */
export class RestoreContentsResultDto {
  @StringListField({
    maxItems: MAX_CONTENTS_PER_DELETE,
    description: 'Ids of the files that are now in the cloud again, in request order',
  })
  restoreContIDList: string[];

  @StringListField({
    maxItems: MAX_CONTENTS_PER_DELETE,
    description: 'Ids of the files that were not restored, in request order',
  })
  failureContIDList: string[];
}

/** Permanently deletes either the files `contentIDList` in the recycle bin, or all files in the recycle bin. */
export class PurgeContentsDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceListField({
    optional: true,
    minItems: 1,
    maxItems: MAX_CONTENTS_PER_DELETE,
    maxLength: MAX_ID_LENGTH,
    description: 'Exactly one of `contentIDList` and `all` is required.',
    example: [CONTENT_ID_EXAMPLE],
  })
  contentIDList?: string[];

  @BooleanField({ optional: true, description: '`true`: deletes all files that are now in the recycle bin' })
  all?: boolean;
}

/** Each distinct requested id is in exactly one list of the result. */
export class PurgeContentsResultDto {
  @StringListField({
    maxItems: MAX_CONTENTS_PER_DELETE,
    description: 'Ids of the permanently deleted files, in request order',
  })
  purgeContIDList: string[];

  @StringListField({
    maxItems: MAX_CONTENTS_PER_DELETE,
    description: 'Ids of the files that were not deleted, in request order',
  })
  failureContIDList: string[];

  @IntegerField({
    min: 0,
    description: 'With `all`: number of files that are being deleted in the background',
    example: 0,
  })
  purging: number;
}
