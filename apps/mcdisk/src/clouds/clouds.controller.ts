import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  CloudMemberListDto,
  DiskInfoDto,
  QueryCloudMemberDto,
  QueryDiskInfoDto,
  FamilyCloudListDto,
  QueryFamilyCloudDto,
} from '@family-watch/domain/family-cloud/dto/family-cloud.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { CloudService } from './cloud.service.js';

@ApiTags('Family cloud')
@Controller('app-api/mcdisk/wristwatch/familyCloud')
export class CloudsController {
  constructor(private readonly clouds: CloudService) {}

  @Post('queryFamilyCloud')
  @Operation({
    id: 'queryFamilyCloud',
    access: ['user', 'watch'],
    summary: "List the caller's family clouds",
    description: 'Returns the cloud of every family the caller belongs to.',
    response: FamilyCloudListDto,
    errors: ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_READY'],
  })
  queryFamilyCloud(@Caller() caller: Principal, @Body() request: QueryFamilyCloudDto): Promise<FamilyCloudListDto> {
    return this.clouds.list(caller, request);
  }

  @Post('queryDiskInfo')
  @Operation({
    id: 'queryDiskInfo',
    access: ['user', 'watch'],
    summary: 'Get the quota and usage of a family cloud',
    response: DiskInfoDto,
    errors: ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'PERMISSION_MISSING', 'CLOUD_NOT_READY'],
  })
  queryDiskInfo(@Caller() caller: Principal, @Body() request: QueryDiskInfoDto): Promise<DiskInfoDto> {
    return this.clouds.findUsage(caller, request);
  }

  @Post('queryCloudMember')
  @Operation({
    id: 'queryCloudMember',
    access: ['user', 'watch'],
    summary: 'List the members of a family cloud',
    description: 'Callers without the right to read get only the owner and themselves.',
    response: CloudMemberListDto,
    errors: ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'CLOUD_NOT_READY'],
  })
  queryCloudMember(@Caller() caller: Principal, @Body() request: QueryCloudMemberDto): Promise<CloudMemberListDto> {
    return this.clouds.listMembers(caller, request);
  }
}
