import { Body, Controller, Post, Req } from '@nestjs/common';
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
import type { FastifyRequest } from 'fastify';
import { SignedUrlService } from '../../sharing/signed-urls/signed-url.service.js';
import { RecycleBinService } from './recycle-bin.service.js';

@ApiTags('Family cloud')
@Controller('app-api/mcdisk/wristwatch/familyCloud')
export class RecycleBinController {
  constructor(
    private readonly recycleBin: RecycleBinService,
    private readonly signedUrls: SignedUrlService,
  ) {}

  @Post('queryRecycleList')
  @Operation({
    id: 'queryRecycleList',
    access: ['user'],
    summary: 'List deleted files that can be restored',
    description:
      'The most recently deleted file is first. Contains only files that the caller may restore. Files in the recycle ' +
      'bin cannot be downloaded; those who may restore them see their thumbnails.',
    response: RecycleListDto,
    errors: ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'CLOUD_NOT_READY'],
  })
  queryRecycleList(
    @Caller() caller: Principal,
    @Body() body: QueryRecycleListDto,
    @Req() request: FastifyRequest,
  ): Promise<RecycleListDto> {
    return this.recycleBin.list(caller, this.signedUrls.originOf(request), body);
  }

  @Post('restoreContents')
  @Operation({
    id: 'restoreContents',
    access: ['user'],
    summary: 'Restore files from the recycle bin',
    description:
      'Restores files to the folders from which they were deleted. Succeeds even when no file was restored: the two ' +
      'lists contain the result for each id.',
    response: RestoreContentsResultDto,
    errors: ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'CLOUD_NOT_READY'],
  })
  restoreContents(@Caller() caller: Principal, @Body() request: RestoreContentsDto): Promise<RestoreContentsResultDto> {
    return this.recycleBin.restore(caller, request);
  }

  @Post('purgeContents')
  @Operation({
    id: 'purgeContents',
    access: ['user'],
    summary: 'Permanently delete files in the recycle bin',
    description:
      'For the owner. Deletes the given files or all files in the recycle bin. Emptying the whole recycle bin ' +
      'continues in the background. Files that are deleted after the request stay in the recycle bin.',
    response: PurgeContentsResultDto,
    errors: ['CLOUD_TYPE_UNSUPPORTED', 'PERMISSION_MISSING', 'CLOUD_NOT_FOUND', 'CLOUD_NOT_READY'],
  })
  purgeContents(@Caller() caller: Principal, @Body() request: PurgeContentsDto): Promise<PurgeContentsResultDto> {
    return this.recycleBin.purge(caller, request);
  }
}
