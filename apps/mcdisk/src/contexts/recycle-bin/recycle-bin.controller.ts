import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  PurgeContentsDto,
  PurgeContentsResultDto,
  QueryRecycleListDto,
  RecycleListDto,
  RestoreContentsDto,
  RestoreContentsResultDto,
} from '@family-watch/domain/family-cloud/dto/recycle-bin.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { RecycleBinPurgeService } from './recycle-bin-purge.service.js';
import { RecycleBinService } from './recycle-bin.service.js';

@ApiTags('Family cloud')
@Controller('app-api/mcdisk/wristwatch/familyCloud')
export class RecycleBinController {
  constructor(
    private readonly bin: RecycleBinService,
    private readonly purges: RecycleBinPurgeService,
  ) {}

  @Post('queryRecycleList')
  @Operation({
    id: 'queryRecycleList',
    access: ['user'],
    summary: 'List what the caller can take back from the recycle bin, last deleted first',
    response: RecycleListDto,
    errors: ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'CLOUD_NOT_READY'],
  })
  queryRecycleList(@Caller() caller: Principal, @Body() request: QueryRecycleListDto): Promise<RecycleListDto> {
    return this.bin.list(caller, request);
  }

  @Post('restoreContents')
  @Operation({
    id: 'restoreContents',
    access: ['user'],
    summary: 'Take files back from the recycle bin, to the folder that they were deleted from',
    description: 'Succeeds also when no file could be restored: the two lists carry the truth for every id.',
    response: RestoreContentsResultDto,
    errors: ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'CLOUD_NOT_READY'],
  })
  restoreContents(@Caller() caller: Principal, @Body() request: RestoreContentsDto): Promise<RestoreContentsResultDto> {
    return this.bin.restore(caller, request);
  }

  @Post('purgeContents')
  @Operation({
    id: 'purgeContents',
    access: ['user'],
    summary: 'Let files of the recycle bin go for good, or all of it',
    description: 'Emptying the whole bin is answered when it begins. What is deleted meanwhile stays in the bin.',
    response: PurgeContentsResultDto,
    errors: ['CLOUD_TYPE_UNSUPPORTED', 'PERMISSION_MISSING', 'CLOUD_NOT_FOUND', 'CLOUD_NOT_READY'],
  })
  purgeContents(@Caller() caller: Principal, @Body() request: PurgeContentsDto): Promise<PurgeContentsResultDto> {
    return this.purges.purge(caller, request);
  }
}
