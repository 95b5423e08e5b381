import { Reference, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { CloudId } from './family-cloud-fields.js';
import { FamilyCloudRequestDto } from './family-cloud-request.dto.js';

export class GetFileDownLoadUrlDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @Reference()
  contentID: string;
}

export class FileDownLoadUrlDto {
  @Text({ description: 'GET the bytes here; no Bearer needed' })
  downloadURL: string;

  @UnixMilliseconds({ description: 'When the address stops working' })
  expireTime: number;
}
