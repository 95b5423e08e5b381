import { ReferenceField, UnixMillisecondsField } from '../../kernel/dto/fields.js';
import { CloudIdField, ContentNameField } from './family-cloud-fields.js';
import { FamilyCloudRequestDto } from './family-cloud-request.dto.js';

export class QueryContentInfoDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @ReferenceField()
  contentID: string;
}

/** Omitted fields are unchanged. */
export class ModifyContentInfoDto extends QueryContentInfoDto {
  @ContentNameField({ optional: true })
  contentName?: string;

  @UnixMillisecondsField({ optional: true, nullable: true, description: 'Capture time; null: unknown' })
  shottime?: number | null;
}
