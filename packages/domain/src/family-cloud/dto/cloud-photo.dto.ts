import { Integer, Nested, NestedList, Reference, Text, TextList, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { MAX_ALBUM_CHANGES } from '../contracts/album.js';
import { CloudId, CONTENT_EXAMPLE, ContentName } from './family-cloud-fields.js';
import { FamilyCloudRequestDto, PageInfoDto } from './family-cloud-request.dto.js';
import { ContentDto } from './query-content-list.dto.js';

/** The body's own limit comes first; any text of it is an id, so that a malformed one answers like an unknown one. */
const MAX_ID_LENGTH = 256 * 1024;

function AlbumName(options: { optional?: boolean } = {}): PropertyDecorator {
  return ContentName({ example: 'Summer at the sea', ...options });
}

function IdList(example: string, description?: string): PropertyDecorator {
  return TextList({
    minItems: 1,
    maxItems: MAX_ALBUM_CHANGES,
    maxLength: MAX_ID_LENGTH,
    example: [example],
    ...(description === undefined ? {} : { description }),
  });
}

function AnsweredIds(description: string): PropertyDecorator {
  return TextList({ maxItems: MAX_ALBUM_CHANGES, description });
}

const ALBUM_EXAMPLE = '5b0a4d44-6a44-4a8e-9d7e-1b2f3c4d5e6f';

/** An album: contents of a family cloud under a name, wherever they are kept. */
export class CloudPhotoDto {
  @Text({ example: ALBUM_EXAMPLE })
  photoID: string;

  @Text({ example: 'Summer at the sea' })
  photoName: string;

  @Text({ description: 'Thumbnail of the cover; empty while there is none', example: '' })
  photoCoverURL: string;

  @Integer({ min: 0, description: 'What the caller may see of it', example: 12 })
  contentCount: number;

  @UnixMilliseconds()
  createTime: number;

  @UnixMilliseconds()
  lastUpdateTime: number;
}

export class CreateCloudPhotoDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @AlbumName()
  photoName: string;
}

export class ModifyCloudPhotoDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @Reference({ example: ALBUM_EXAMPLE })
  photoID: string;

  @AlbumName({ optional: true })
  photoName?: string;

  @Text({
    optional: true,
    maxLength: 128,
    description: 'A content of the album; empty: the newest one from now on',
    example: CONTENT_EXAMPLE,
  })
  coverContentID?: string;
}

export class DeleteCloudPhotoDto extends FamilyCloudRequestDto {
  @CloudId()
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
  @CloudId()
  cloudID: string;

  @Nested(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

export class CloudPhotoListDto {
  @Integer({ min: 0, description: 'Albums on all pages', example: 1 })
  totalCount: number;

  @NestedList(() => CloudPhotoDto, { maxItems: 200 })
  cloudPhotoList: CloudPhotoDto[];
}

export class QueryPhotoContentsDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @Reference({ example: ALBUM_EXAMPLE })
  photoID: string;

  @Nested(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

export class PhotoContentListDto {
  @Integer({ min: 0, description: 'Contents on all pages', example: 1 })
  totalCount: number;

  @NestedList(() => ContentDto, { maxItems: 200, description: 'By the time they were taken, the newest first' })
  cloudContentList: ContentDto[];
}

/** Names contents for an album. */
export class PhotoContentsDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @Reference({ example: ALBUM_EXAMPLE })
  photoID: string;

  @IdList(CONTENT_EXAMPLE)
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
