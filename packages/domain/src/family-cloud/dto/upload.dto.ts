import {
  BooleanField,
  IntegerField,
  NestedField,
  NestedListField,
  ReferenceField,
  StringField,
} from '../../kernel/dto/fields.js';
import { MAX_FILES_PER_UPLOAD_SESSION } from '../contracts/content.js';
import {
  FolderIdField,
  FolderPathField,
  CloudIdField,
  CONTENT_ID_EXAMPLE,
  ContentNameField,
  DigestField,
} from './family-cloud-fields.js';
import { FamilyCloudRequestDto } from './family-cloud-request.dto.js';

/** A file that is about to come. */
export class UploadContentDto {
  @ContentNameField()
  contentName: string;

  @IntegerField({ min: 0, description: 'Bytes; an empty file is a file', example: 48_213 })
  contentSize: number;

  @DigestField({ optional: true })
  digest?: string;
}

export class GetFileUploadUrlDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @NestedListField(() => UploadContentDto, { minItems: 1, maxItems: MAX_FILES_PER_UPLOAD_SESSION })
  uploadContentList: UploadContentDto[];

  @FolderIdField()
  parentCatalogID?: string;

  @FolderPathField('Path of the catalog that the files go to')
  path?: string;

  @IntegerField({ optional: true, min: 0, description: 'Number of files; a wrong one is refused' })
  fileCount?: number;

  @IntegerField({ optional: true, min: 0, description: 'Bytes of all files; a wrong number is refused' })
  totalSize?: number;
}

export class NewContentDto {
  @StringField({ example: CONTENT_ID_EXAMPLE })
  contentID: string;

  @StringField({ example: 'first day at school.jpg' })
  contentName: string;

  @BooleanField({
    description: 'False: you can read the same bytes (digest and size) in this cloud, and the content is there already',
    example: true,
  })
  isNeedUpload: boolean;

  @StringField({
    description:
      'PUT the bytes here, beginning within five minutes; no Bearer needed. Empty: none are needed, or too many',
  })
  uploadURL: string;

  @StringField({
    description:
      'Send the bytes here by the tus protocol (HEAD, PATCH), beginning within five minutes; it can be resumed for a ' +
      'day after the last byte. No Bearer needed. Empty: no bytes are needed',
  })
  tusURL: string;
}

export class UploadResultDto {
  @StringField()
  uploadTaskID: string;

  @NestedListField(() => NewContentDto, { maxItems: MAX_FILES_PER_UPLOAD_SESSION })
  newContentIDList: NewContentDto[];
}

export class FileUploadUrlDto {
  @NestedField(() => UploadResultDto)
  uploadResult: UploadResultDto;
}

/** Names an upload task. */
export class UploadTaskDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField()
  uploadTaskID: string;
}

/** Given after the commit: what the cloud holds from now on. */
export class UploadReceiptDto {
  @StringField({ example: CONTENT_ID_EXAMPLE })
  contentID: string;

  @IntegerField({ min: 0, description: 'Bytes', example: 48_213 })
  contentSize: number;

  @DigestField()
  digest: string;

  @StringField({ description: 'Size, digest and time of the commit in one text, to keep with the original file' })
  receipt: string;
}

export class CompleteUploadDto {
  @NestedListField(() => UploadReceiptDto, { maxItems: MAX_FILES_PER_UPLOAD_SESSION })
  contentList: UploadReceiptDto[];
}
