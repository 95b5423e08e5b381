import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { FamilyCloudListDto, QueryFamilyCloudDto } from '@family-watch/domain/family-cloud/dto/query-family-cloud.dto';
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
    summary: 'List the clouds of the families the caller belongs to',
    response: FamilyCloudListDto,
    errors: ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_READY'],
  })
  queryFamilyCloud(@Caller() caller: Principal, @Body() request: QueryFamilyCloudDto): Promise<FamilyCloudListDto> {
    return this.clouds.list(caller, request);
  }
}
