import {
  IntegerField,
  NestedField,
  NestedListField,
  EnumField,
  StringField,
  UnixMillisecondsField,
  ReferenceField,
  ReferenceListField,
  StringListField,
} from '../../kernel/dto/fields.js';
import {
  CONTENT_SORT,
  CONTENT_STATE,
  CONTENT_TYPE,
  ROOT_PATH,
  SORT_DIRECTION,
  MAX_CONTENTS_PER_DELETE,
  DOWNLOAD_VARIANT,
  type ContentSort,
  type ContentState,
  type ContentType,
  type SortDirection,
  type DownloadVariant,
} from '../contracts/content.js';
import {
  FolderIdField,
  FolderPathField,
  CloudIdField,
  CONTENT_ID_EXAMPLE,
  DigestField,
  FamilyCloudRequestDto,
  PageInfoDto,
  ContentNameField,
} from './family-cloud-fields.js';

export class QueryContentListDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @FolderIdField()
  catalogID?: string;

  @FolderPathField('Path of the folder. If `catalogID` is also given, both must identify the same folder.')
  path?: string;

  @EnumField(CONTENT_SORT, {
    optional: true,
    description:
      '0 time of the last update (default), 1 name, 2 size (folders: by name), 3 time of creation, 4 capture time ' +
      '(folders, and files whose capture time is unknown: time of creation)',
  })
  contentSortType?: ContentSort;

  @EnumField(SORT_DIRECTION, { optional: true, description: '0 ascending, 1 descending (default)' })
  sortDirection?: SortDirection;

  @DigestField({ optional: true, description: 'Lists only the files with these bytes: SHA-256, hex' })
  digest?: string;

  @NestedField(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

/** A folder of the cloud. */
export class CatalogDto {
  @StringField()
  catalogID: string;

  @StringField({ description: 'Parent folder; empty: the root folder' })
  parentCatalogID: string;

  @StringField()
  catalogName: string;

  @IntegerField({ description: 'Always 3', example: 3 })
  catalogType: number;

  @StringField({ example: 'root:/4f6d0f7e-52fb-4b1a-8b0f-0a8a54a4b6de' })
  path: string;

  @UnixMillisecondsField()
  createTime: number;

  @UnixMillisecondsField({ description: 'Time of the last rename or move' })
  lastUpdateTime: number;
}

/** A file of the cloud. */
export class ContentDto {
  @StringField({ example: CONTENT_ID_EXAMPLE })
  contentID: string;

  @StringField({ example: 'first day at school.jpg' })
  contentName: string;

  @IntegerField({ min: 0, description: 'Size in bytes', example: 48_213 })
  contentSize: number;

  @EnumField(CONTENT_TYPE, { description: '1 image, 2 audio, 3 video, 4 document, 5 other; detected from the bytes' })
  contentType: ContentType;

  @DigestField()
  digest: string;

  @StringField({ description: 'Parent folder; empty: the root folder', example: '' })
  parentCatalogID: string;

  @StringField({ description: 'Path of the folder that contains the file', example: ROOT_PATH })
  path: string;

  @StringField({ description: 'Principal that added the file: `user:<userId>` or `watch:<did>`' })
  uploader: string;

  @UnixMillisecondsField()
  createTime: number;

  @UnixMillisecondsField()
  lastUpdateTime: number;

  @UnixMillisecondsField({ nullable: true, description: 'Capture time of the photo or video; null if unknown' })
  shottime: number | null;

  @StringField({
    maxLength: 2_000,
    description: 'URL of the thumbnail, valid for five minutes; empty if there is none',
    example: '',
  })
  thumbnailURL: string;

  @EnumField(CONTENT_STATE)
  state: ContentState;
}

/** One page of a folder. `pageInfo` of the request applies to the folders and to the files separately. */
export class ContentListDto {
  @StringField({ description: 'Path of the listed folder', example: ROOT_PATH })
  path: string;

  @IntegerField({ min: 0, description: 'Number of files on all pages, without folders', example: 1 })
  totalCount: number;

  @IntegerField({ min: 0, description: 'Number of folders on all pages', example: 0 })
  catalogCount: number;

  @NestedListField(() => CatalogDto, {
    maxItems: 200,
    description: 'The folders of this page; empty on pages after the last folder',
  })
  cloudCatalogList: CatalogDto[];

  @NestedListField(() => ContentDto, {
    maxItems: 200,
    description: 'The files of this page; empty on pages after the last file',
  })
  cloudContentList: ContentDto[];
}

export class QueryContentInfoDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField()
  contentID: string;
}

/** Omitted fields are unchanged. */
export class ModifyContentInfoDto extends QueryContentInfoDto {
  @ContentNameField({ optional: true })
  contentName?: string;

  @UnixMillisecondsField({ optional: true, nullable: true, description: 'Capture time; null sets it to unknown' })
  shottime?: number | null;
}

export class CreateCloudDocDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @FolderIdField()
  parentCatalogID?: string;

  @FolderPathField('Path of the parent folder. If `parentCatalogID` is also given, both must identify the same folder.')
  path?: string;

  @ContentNameField({ example: 'Holidays' })
  catalogName: string;
}

export class ModifyCloudDocDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField()
  catalogID: string;

  @ContentNameField({ example: 'Holidays by the sea' })
  catalogName: string;
}

/**
 * Maximum length of an id: the maximum size of a request body. Validation accepts any text as id, so that a malformed
 * id fails like an unknown id.
 */
export const MAX_ID_LENGTH = 256 * 1024;

/** Request of deleteContents (specification 2.7). */
export class DeleteContentsDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceListField({
    minItems: 1,
    maxItems: MAX_CONTENTS_PER_DELETE,
    maxLength: MAX_ID_LENGTH,
    example: [CONTENT_ID_EXAMPLE],
  })
  contentIDList: string[];

  @FolderPathField('Deletes only files below this path; empty or omitted: files in any folder of the cloud')
  path?: string;

  @StringField({
    optional: true,
    maxLength: 4_096,
    description: '`device.ticket` of a child. The ticket restricts the request and grants no permission.',
  })
  ticket?: string;
}

/** Result of deleteContents (specification 2.7). Each distinct requested id is in exactly one list of the result. */
export class DeleteContentsResultDto {
  @StringListField({ maxItems: MAX_CONTENTS_PER_DELETE, description: 'Ids of the deleted files, in request order' })
  deleteContIDList: string[];

  @StringListField({
    maxItems: MAX_CONTENTS_PER_DELETE,
    description: 'Ids of the files that were not deleted, in request order',
  })
  failureContIDList: string[];
}

export class GetFileDownLoadUrlDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField()
  contentID: string;

  @EnumField(DOWNLOAD_VARIANT, {
    optional: true,
    description: '1 the file itself (default), 2 the thumbnail of the file',
  })
  variant?: DownloadVariant;
}

export class FileDownLoadUrlDto {
  @StringField({ description: 'URL for GET; requires no access token' })
  downloadURL: string;

  @UnixMillisecondsField({ description: 'Expiry of the URL' })
  expireTime: number;
}
