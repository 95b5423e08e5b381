import {
  IntegerField,
  NestedField,
  NestedListField,
  ReferenceField,
  StringField,
  StringListField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { MAX_ALBUM_CHANGES_PER_REQUEST } from '../contracts/album.js';
import { CloudIdField, CONTENT_ID_EXAMPLE, ContentNameField } from './family-cloud-fields.js';
import { FamilyCloudRequestDto, PageInfoDto } from './family-cloud-request.dto.js';
import { ContentDto } from './query-content-list.dto.js';

/** The body's own limit comes first; any text of it is an id, so that a malformed one answers like an unknown one. */
const MAX_ID_LENGTH = 256 * 1024;

function AlbumName(options: { optional?: boolean } = {}): PropertyDecorator {
  return ContentNameField({ example: 'Summer at the sea', ...options });
}

function IdList(example: string, description?: string): PropertyDecorator {
  return StringListField({
    minItems: 1,
    maxItems: MAX_ALBUM_CHANGES_PER_REQUEST,
    maxLength: MAX_ID_LENGTH,
    example: [example],
    ...(description === undefined ? {} : { description }),
  });
}

function AnsweredIds(description: string): PropertyDecorator {
  return StringListField({ maxItems: MAX_ALBUM_CHANGES_PER_REQUEST, description });
}

const ALBUM_EXAMPLE = '5b0a4d44-6a44-4a8e-9d7e-1b2f3c4d5e6f';

/** An album: contents of a family cloud under a name, wherever they are kept. */
export class CloudPhotoDto {
  @StringField({ example: ALBUM_EXAMPLE })
  photoID: string;

  @StringField({ example: 'Summer at the sea' })
  photoName: string;

  @StringField({ description: 'Thumbnail of the cover; empty while there is none', example: '' })
  photoCoverURL: string;

  @IntegerField({ min: 0, description: 'What the caller may see of it', example: 12 })
  contentCount: number;

  @UnixMillisecondsField()
  createTime: number;

  @UnixMillisecondsField()
  lastUpdateTime: number;
}

export class CreateCloudPhotoDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @AlbumName()
  photoName: string;
}

export class ModifyCloudPhotoDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField({ example: ALBUM_EXAMPLE })
  photoID: string;

  @AlbumName({ optional: true })
  photoName?: string;

  @StringField({
    optional: true,
    maxLength: 128,
    description: 'A content of the album; empty: the newest one from now on',
    example: CONTENT_ID_EXAMPLE,
  })
  coverContentID?: string;
}

export class DeleteCloudPhotoDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @IdList(ALBUM_EXAMPLE)
  photoIDList: string[];
}

/** Together exactly the distinct ids asked for. */
export class DeleteCloudPhotoResultDto {
  @AnsweredIds('Deleted, in the order first named')
  deletePhotoIDList: string[];

  @AnsweredIds('Not deleted, in the order first named')
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

  @NestedListField(() => ContentDto, { maxItems: 200, description: 'By the time they were taken, the newest first' })
  cloudContentList: ContentDto[];
}

/** Names contents for an album. */
export class PhotoContentsDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField({ example: ALBUM_EXAMPLE })
  photoID: string;

  @IdList(CONTENT_ID_EXAMPLE)
  contentIDList: string[];
}

/** Together exactly the distinct ids asked for. */
export class AddPhotoContentsResultDto {
  @AnsweredIds('In the album now, in the order first named')
  addContIDList: string[];

  @AnsweredIds('Not in the album, in the order first named')
  failureContIDList: string[];
}

/** Together exactly the distinct ids asked for. */
export class RemovePhotoContentsResultDto {
  @AnsweredIds('Not in the album any more, in the order first named')
  removeContIDList: string[];

  @AnsweredIds('Not taken out, in the order first named')
  failureContIDList: string[];
}
