import { EnumField, ReferenceField, StringField, UnixMillisecondsField } from '../../kernel/dto/fields.js';
import { DOWNLOAD_VARIANT } from '../contracts/content.js';
import type { DownloadVariant } from '../contracts/content.js';
import { CloudIdField } from './family-cloud-fields.js';
import { FamilyCloudRequestDto } from './family-cloud-request.dto.js';

export class GetFileDownLoadUrlDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField()
  contentID: string;

  @EnumField(DOWNLOAD_VARIANT, { optional: true, description: '1 the file (default), 2 its thumbnail' })
  variant?: DownloadVariant;
}

export class FileDownLoadUrlDto {
  @StringField({ description: 'URL for GET; requires no access token' })
  downloadURL: string;

  @UnixMillisecondsField({ description: 'Expiry of the URL' })
  expireTime: number;
}
