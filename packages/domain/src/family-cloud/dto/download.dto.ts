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

  @EnumField(DOWNLOAD_VARIANT, { optional: true, description: '1 the file itself (default), 2 its thumbnail' })
  variant?: DownloadVariant;
}

export class FileDownLoadUrlDto {
  @StringField({ description: 'GET the bytes here; no Bearer needed' })
  downloadURL: string;

  @UnixMillisecondsField({ description: 'When the address stops working' })
  expireTime: number;
}
