import {
  IntegerField,
  NestedField,
  NestedListField,
  EnumField,
  StringField,
  UnixMillisecondsField,
  DeviceIdField,
} from '../../kernel/dto/fields.js';
import { CLOUD_ROLE, type CloudRole } from '../contracts/cloud-access.js';
import { CLOUD_ID_EXAMPLE, FamilyCloudRequestDto, PageInfoDto, CloudIdField } from './family-cloud-fields.js';

export class QueryFamilyCloudDto extends FamilyCloudRequestDto {
  @NestedField(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

/** A family's cloud as returned to the caller. */
export class FamilyCloudDto {
  @StringField({ example: CLOUD_ID_EXAMPLE })
  cloudID: string;

  @StringField({ example: 'The Lis', description: 'Name of the family; `family/update` changes it' })
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

export class QueryDiskInfoDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;
}

/** Quota of a cloud and its use, in bytes. Files with equal bytes count separately. */
export class DiskInfoDto {
  @IntegerField({ min: 0, description: 'Quota of the cloud, in bytes', example: 21_474_836_480 })
  diskSize: number;

  @IntegerField({ min: 0, description: 'Bytes of the files that are not in the recycle bin', example: 48_213 })
  usedSize: number;

  @IntegerField({ min: 0, description: 'Bytes reserved by open uploads', example: 0 })
  reservedSize: number;

  @IntegerField({ min: 0, description: 'Bytes in the recycle bin', example: 0 })
  recycleSize: number;

  @IntegerField({ min: 0, description: 'Bytes available for new uploads', example: 21_474_788_267 })
  freeSize: number;
}

export class QueryCloudMemberDto extends FamilyCloudRequestDto {
  @CloudIdField()
  cloudID: string;

  @NestedField(() => PageInfoDto, { optional: true })
  pageInfo?: PageInfoDto;
}

/** A member of a cloud: a person, or the watch of a child. */
export class CloudMemberDto {
  @StringField({ nullable: true, description: 'null for a watch' })
  userId: string | null;

  @DeviceIdField({ nullable: true, description: 'null for a person' })
  did: number | null;

  @EnumField(CLOUD_ROLE, { example: 'OWNER' })
  role: CloudRole;
}

export class CloudMemberListDto {
  @NestedListField(() => CloudMemberDto, { maxItems: 200 })
  cloudMemberList: CloudMemberDto[];

  @IntegerField({ min: 0, description: 'Number of members on all pages', example: 1 })
  totalCount: number;
}
