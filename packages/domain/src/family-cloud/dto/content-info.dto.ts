import { Reference, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { CloudId, ContentName } from './family-cloud-fields.js';
import { FamilyCloudRequestDto } from './family-cloud-request.dto.js';

export class QueryContentInfoDto extends FamilyCloudRequestDto {
  @CloudId()
  cloudID: string;

  @Reference()
  contentID: string;
}

/** What is absent stays as it is. */
export class ModifyContentInfoDto extends QueryContentInfoDto {
  @ContentName({ optional: true })
  contentName?: string;

  @UnixMilliseconds({ optional: true, nullable: true, description: 'When it was taken; null: unknown' })
  shottime?: number | null;
}
