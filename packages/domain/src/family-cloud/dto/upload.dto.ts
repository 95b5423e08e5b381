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
  FamilyCloudRequestDto,
} from './family-cloud-fields.js';

/** A file to be uploaded. */
export class UploadContentDto {
  @ContentNameField()
  contentName: string;

  @IntegerField({ min: 0, description: 'Size in bytes; empty files are allowed', example: 48_213 })
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

  @FolderPathField('Path of the target folder')
  path?: string;

  @IntegerField({
    optional: true,
    min: 0,
    description: 'Number of files in `uploadContentList`; the request fails if the number is incorrect',
  })
  fileCount?: number;

  @IntegerField({
    optional: true,
    min: 0,
    description: 'Total size of the files in bytes; the request fails if the size is incorrect',
  })
  totalSize?: number;
}

export class NewContentDto {
  @StringField({ example: CONTENT_ID_EXAMPLE })
  contentID: string;

  @StringField({ example: 'first day at school.jpg' })
  contentName: string;

  @BooleanField({
    description:
      'False if the caller can read a file with the same bytes in this cloud. The new file then needs no upload.',
    example: true,
  })
  isNeedUpload: boolean;

  @StringField({
    description:
      'URL for PUT; the upload must begin within five minutes. No access token is required. Empty if no bytes are ' +
      'needed or the file is too large for one PUT.',
  })
  uploadURL: string;

  @StringField({
    description:
      'URL for the tus protocol (HEAD, PATCH). The upload must begin within five minutes; it can be resumed for a ' +
      'day after the last byte. No access token is required. Empty if no bytes are needed.',
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

/** Identifies an upload session. */
export class UploadTaskDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField()
  uploadTaskID: string;
}

/** Proof that a file is stored. The service returns it only after the commit. */
export class UploadReceiptDto {
  @StringField({ example: CONTENT_ID_EXAMPLE })
  contentID: string;

  @IntegerField({ min: 0, description: 'Size in bytes', example: 48_213 })
  contentSize: number;

  @DigestField()
  digest: string;

  @StringField({
    description: 'Size, digest and commit time as one text. Clients can store it with the original file.',
  })
  receipt: string;
}

export class CompleteUploadDto {
  @NestedListField(() => UploadReceiptDto, { maxItems: MAX_FILES_PER_UPLOAD_SESSION })
  contentList: UploadReceiptDto[];
}
