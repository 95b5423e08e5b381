import {
  IntegerField,
  NestedField,
  NestedListField,
  ReferenceField,
  ReferenceListField,
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
 * Maximum length of an id: the maximum size of a request body. Validation accepts any text as id, so that a malformed
 * id fails like an unknown id.
 */
const MAX_ID_LENGTH = 256 * 1024;

function AlbumNameField(options: { optional?: boolean } = {}): PropertyDecorator {
  return ContentNameField({ example: 'Summer at the sea', ...options });
}

function IdListField(example: string, description?: string): PropertyDecorator {
  return ReferenceListField({
    minItems: 1,
    maxItems: MAX_ALBUM_CHANGES_PER_REQUEST,
    maxLength: MAX_ID_LENGTH,
    example: [example],
    ...(description === undefined ? {} : { description }),
  });
}

function ResultIdListField(description: string): PropertyDecorator {
  return StringListField({ maxItems: MAX_ALBUM_CHANGES_PER_REQUEST, description });
}

const ALBUM_EXAMPLE = '5b0a4d44-6a44-4a8e-9d7e-1b2f3c4d5e6f';

/** An album: a named set of files of a family cloud, independent of their folders. */
export class CloudPhotoDto {
  @StringField({ example: ALBUM_EXAMPLE })
  photoID: string;

  @StringField({ example: 'Summer at the sea' })
  photoName: string;

  @StringField({ description: 'URL of the thumbnail of the cover; empty if there is none', example: '' })
  photoCoverURL: string;

  @IntegerField({ min: 0, description: 'Number of files of the album that the caller may see', example: 12 })
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
    description: 'File of the album that is its cover; empty: always the newest file',
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
  @ResultIdListField('Ids of the deleted albums, in request order')
  deletePhotoIDList: string[];

  @ResultIdListField('Ids of the albums that were not deleted, in request order')
  failurePhotoIDList: string[];
}

export class QueryCloudPhotoDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @NestedField(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

export class CloudPhotoListDto {
  @IntegerField({ min: 0, description: 'Number of albums on all pages', example: 1 })
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
  @IntegerField({ min: 0, description: 'Number of files on all pages', example: 1 })
  totalCount: number;

  @NestedListField(() => ContentDto, { maxItems: 200, description: 'By capture time, newest first' })
  cloudContentList: ContentDto[];
}

/** Request to add files to an album or to remove files from it. */
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
  @ResultIdListField('Ids of the files that are now in the album, in request order')
  addContIDList: string[];

  @ResultIdListField('Ids of the files that could not be added, in request order')
  failureContIDList: string[];
}

/** Each distinct requested id is in exactly one list of the result. */
export class RemovePhotoContentsResultDto {
  @ResultIdListField('Ids of the files that are no longer in the album, in request order')
  removeContIDList: string[];

  @ResultIdListField('Ids of the files that could not be removed, in request order')
  failureContIDList: string[];
}
