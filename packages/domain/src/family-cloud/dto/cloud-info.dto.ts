import {
  DeviceIdField,
  IntegerField,
  NestedField,
  NestedListField,
  EnumField,
  StringField,
} from '../../kernel/dto/fields.js';
import { CLOUD_ROLE } from '../contracts/cloud-role.js';
import type { CloudRole } from '../contracts/cloud-role.js';
import { CloudIdField } from './family-cloud-fields.js';
import { FamilyCloudRequestDto, PageInfoDto } from './family-cloud-request.dto.js';

export class QueryDiskInfoDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;
}

/** Quota of a cloud, in bytes of contents as the family sees them: equal ones count each. */
export class DiskInfoDto {
  @IntegerField({ min: 0, description: 'Bytes that the cloud can hold', example: 21_474_836_480 })
  diskSize: number;

  @IntegerField({ min: 0, description: 'Bytes of the contents', example: 48_213 })
  usedSize: number;

  @IntegerField({ min: 0, description: 'Bytes held for uploads that are under way', example: 0 })
  reservedSize: number;

  @IntegerField({ min: 0, description: 'Bytes in the recycle bin', example: 0 })
  recycleSize: number;

  @IntegerField({ min: 0, description: 'Bytes that an upload can still announce', example: 21_474_788_267 })
  freeSize: number;
}

export class QueryCloudMemberDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @NestedField(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

/** Somebody in a cloud: a person, or the watch of a child. */
export class CloudMemberDto {
  @StringField({ nullable: true, description: 'null: a watch' })
  userId: string | null;

  @DeviceIdField({ nullable: true, description: 'null: a person' })
  did: number | null;

  @EnumField(CLOUD_ROLE, { example: 'OWNER' })
  role: CloudRole;
}

export class CloudMemberListDto {
  @NestedListField(() => CloudMemberDto, { maxItems: 200 })
  cloudMemberList: CloudMemberDto[];

  @IntegerField({ min: 0, description: 'Members on all pages', example: 1 })
  totalCount: number;
}
