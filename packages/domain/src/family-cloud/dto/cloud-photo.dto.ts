import {
  IntegerField,
  NestedField,
  NestedListField,
  ReferenceField,
  StringField,
  StringListField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { MAX_ALBUM_CHANGES_PER_REQUEST } from '../contracts/content.js';
import {
  CloudIdField,
  CONTENT_ID_EXAMPLE,
  ContentNameField,
  FamilyCloudRequestDto,
  PageInfoDto,
} from './family-cloud-fields.js';
import { ContentDto } from './content.dto.js';

/**
 * Maximum length of an id, equal to the maximum body size. Any text is a valid id, so that a malformed id fails like an
 * unknown id.
 */
const MAX_ID_LENGTH = 256 * 1024;

function AlbumNameField(options: { optional?: boolean } = {}): PropertyDecorator {
  return ContentNameField({ example: 'Summer at the sea', ...options });
}

function IdListField(example: string, description?: string): PropertyDecorator {
  return StringListField({
    minItems: 1,
    maxItems: MAX_ALBUM_CHANGES_PER_REQUEST,
    maxLength: MAX_ID_LENGTH,
    example: [example],
    ...(description === undefined ? {} : { description }),
  });
}

function ResultIds(description: string): PropertyDecorator {
  return StringListField({ maxItems: MAX_ALBUM_CHANGES_PER_REQUEST, description });
}

const ALBUM_EXAMPLE = '5b0a4d44-6a44-4a8e-9d7e-1b2f3c4d5e6f';

/** An album: a named set of files of a family cloud, independent of their folders. */
export class CloudPhotoDto {
  @StringField({ example: ALBUM_EXAMPLE })
  photoID: string;

  @StringField({ example: 'Summer at the sea' })
  photoName: string;

  @StringField({ description: 'URL of the cover thumbnail; empty if there is none', example: '' })
  photoCoverURL: string;

  @IntegerField({ min: 0, description: 'Number of contents that the caller may see', example: 12 })
  contentCount: number;

  @UnixMillisecondsField()
  createTime: number;

  @UnixMillisecondsField()
  lastUpdateTime: number;
}

export class CreateCloudPhotoDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @AlbumNameField()
  photoName: string;
}

export class ModifyCloudPhotoDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField({ example: ALBUM_EXAMPLE })
  photoID: string;

  @AlbumNameField({ optional: true })
  photoName?: string;

  @StringField({
    optional: true,
    maxLength: 128,
    description: 'A content of the album; empty: always the newest one',
    example: CONTENT_ID_EXAMPLE,
  })
  coverContentID?: string;
}

export class DeleteCloudPhotoDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @IdListField(ALBUM_EXAMPLE)
  photoIDList: string[];
}

/** Each distinct requested id is in exactly one list of the result. */
export class DeleteCloudPhotoResultDto {
  @ResultIds('Deleted, in request order')
  deletePhotoIDList: string[];

  @ResultIds('Not deleted, in request order')
  failurePhotoIDList: string[];
}

export class QueryCloudPhotoDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @NestedField(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

export class CloudPhotoListDto {
  @IntegerField({ min: 0, description: 'Albums on all pages', example: 1 })
  totalCount: number;

  @NestedListField(() => CloudPhotoDto, { maxItems: 200 })
  cloudPhotoList: CloudPhotoDto[];
}

export class QueryPhotoContentsDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField({ example: ALBUM_EXAMPLE })
  photoID: string;

  @NestedField(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

export class PhotoContentListDto {
  @IntegerField({ min: 0, description: 'Contents on all pages', example: 1 })
  totalCount: number;

  @NestedListField(() => ContentDto, { maxItems: 200, description: 'By capture time, newest first' })
  cloudContentList: ContentDto[];
}

/** Request to change the list of files of an album. */
export class PhotoContentsDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField({ example: ALBUM_EXAMPLE })
  photoID: string;

  @IdListField(CONTENT_ID_EXAMPLE)
  contentIDList: string[];
}

/** Each distinct requested id is in exactly one list of the result. */
export class AddPhotoContentsResultDto {
  @ResultIds('Now in the album, in request order')
  addContIDList: string[];

  @ResultIds('Not in the album, in request order')
  failureContIDList: string[];
}

/** Each distinct requested id is in exactly one list of the result. */
export class RemovePhotoContentsResultDto {
  @ResultIds('No longer in the album, in request order')
  removeContIDList: string[];

  @ResultIds('Not removed, in request order')
  failureContIDList: string[];
}
