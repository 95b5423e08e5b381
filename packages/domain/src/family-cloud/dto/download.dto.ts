import { OneOf, Reference, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { LINK_VARIANT } from '../contracts/content.js';
import type { LinkVariant } from '../contracts/content.js';
import { CloudId } from './family-cloud-fields.js';
import { FamilyCloudRequestDto } from './family-cloud-request.dto.js';

export class GetFileDownLoadUrlDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @Reference()
  contentID: string;

  @OneOf(LINK_VARIANT, { optional: true, description: '1 the file itself (default), 2 its thumbnail' })
  variant?: LinkVariant;
}

export class FileDownLoadUrlDto {
  @Text({ description: 'GET the bytes here; no Bearer needed' })
  downloadURL: string;

  @UnixMilliseconds({ description: 'When the address stops working' })
  expireTime: number;
}
