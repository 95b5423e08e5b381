import { Flag, Integer, Nested, NestedList, Reference, Text } from '../../kernel/dto/fields.js';
import { MAX_ANNOUNCED_CONTENTS } from '../contracts/content.js';
import { CatalogId, CatalogPath, CloudId, CONTENT_EXAMPLE, ContentName, Digest } from './family-cloud-fields.js';
import { FamilyCloudRequestDto } from './family-cloud-request.dto.js';

/** A file that is about to come. */
export class UploadContentDto {
  @ContentName()
  contentName: string;

  @Integer({ min: 0, description: 'Bytes; an empty file is a file', example: 48_213 })
  contentSize: number;

  @Digest({ optional: true })
  digest?: string;
}

export class GetFileUploadUrlDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @NestedList(() => UploadContentDto, { minItems: 1, maxItems: MAX_ANNOUNCED_CONTENTS })
  uploadContentList: UploadContentDto[];

  @CatalogId()
  parentCatalogID?: string;

  @CatalogPath('Path of the catalog that the files go to')
  path?: string;

  @Integer({ optional: true, min: 0, description: 'Number of files; a wrong one is refused' })
  fileCount?: number;

  @Integer({ optional: true, min: 0, description: 'Bytes of all files; a wrong number is refused' })
  totalSize?: number;
}

export class NewContentDto {
  @Text({ example: CONTENT_EXAMPLE })
  contentID: string;

  @Text({ example: 'first day at school.jpg' })
  contentName: string;

  @Flag({
    description: 'False: you can read the same bytes (digest and size) in this cloud, and the content is there already',
    example: true,
  })
  isNeedUpload: boolean;

  @Text({
    description:
      'PUT the bytes here, beginning within five minutes; no Bearer needed. Empty: none are needed, or too many',
  })
  uploadURL: string;

  @Text({
    description:
      'Send the bytes here by the tus protocol (HEAD, PATCH), beginning within five minutes; it can be resumed for a ' +
      'day after the last byte. No Bearer needed. Empty: no bytes are needed',
  })
  tusURL: string;
}

export class UploadResultDto {
  @Text()
  uploadTaskID: string;

  @NestedList(() => NewContentDto, { maxItems: MAX_ANNOUNCED_CONTENTS })
  newContentIDList: NewContentDto[];
}

export class FileUploadUrlDto {
  @Nested(() => UploadResultDto)
  uploadResult: UploadResultDto;
}

/** Names an upload task. */
export class UploadTaskDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @Reference()
  uploadTaskID: string;
}

/** Given after the commit: what the cloud holds from now on. */
export class UploadReceiptDto {
  @Text({ example: CONTENT_EXAMPLE })
  contentID: string;

  @Integer({ min: 0, description: 'Bytes', example: 48_213 })
  contentSize: number;

  @Digest()
  digest: string;

  @Text({ description: 'Size, digest and time of the commit in one text, to keep with the original file' })
  receipt: string;
}

export class CompleteUploadDto {
  @NestedList(() => UploadReceiptDto, { maxItems: MAX_ANNOUNCED_CONTENTS })
  contentList: UploadReceiptDto[];
}
