import { Integer, Nested, NestedList, OneOf, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { CLOUD_ROLE } from '../contracts/cloud-role.js';
import type { CloudRole } from '../contracts/cloud-role.js';
import { CLOUD_EXAMPLE } from './family-cloud-fields.js';
import { FamilyCloudRequestDto, PageInfoDto } from './family-cloud-request.dto.js';

export class QueryFamilyCloudDto extends FamilyCloudRequestDto {
  @Nested(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

/** A family's cloud as the caller sees it. */
export class FamilyCloudDto {
  @Text({ example: CLOUD_EXAMPLE })
  cloudID: string;

  @Text({ example: 'Family cloud' })
  cloudName: string;

  @Integer({ description: 'Always 1', example: 1 })
  cloudType: number;

  @UnixMilliseconds()
  createTime: number;

  @UnixMilliseconds()
  lastUpdateTime: number;

  @OneOf(CLOUD_ROLE, { description: 'What the caller is in this cloud', example: 'OWNER' })
  role: CloudRole;
}

export class FamilyCloudListDto {
  @NestedList(() => FamilyCloudDto, { maxItems: 200 })
  familyCloudList: FamilyCloudDto[];

  @Integer({ min: 0, example: 1 })
  totalCount: number;
}
