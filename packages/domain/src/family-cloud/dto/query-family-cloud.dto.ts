import {
  IntegerField,
  NestedField,
  NestedListField,
  EnumField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { CLOUD_ROLE } from '../contracts/cloud-role.js';
import type { CloudRole } from '../contracts/cloud-role.js';
import { CLOUD_ID_EXAMPLE } from './family-cloud-fields.js';
import { FamilyCloudRequestDto, PageInfoDto } from './family-cloud-request.dto.js';

export class QueryFamilyCloudDto extends FamilyCloudRequestDto {
  @NestedField(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

/** A family's cloud as returned to the caller. */
export class FamilyCloudDto {
  @StringField({ example: CLOUD_ID_EXAMPLE })
  cloudID: string;

  @StringField({ example: 'Family cloud' })
  cloudName: string;

  @IntegerField({ description: 'Always 1', example: 1 })
  cloudType: number;

  @UnixMillisecondsField()
  createTime: number;

  @UnixMillisecondsField()
  lastUpdateTime: number;

  @EnumField(CLOUD_ROLE, { description: 'Role of the caller in this cloud', example: 'OWNER' })
  role: CloudRole;
}

export class FamilyCloudListDto {
  @NestedListField(() => FamilyCloudDto, { maxItems: 200 })
  familyCloudList: FamilyCloudDto[];

  @IntegerField({ min: 0, example: 1 })
  totalCount: number;
}
