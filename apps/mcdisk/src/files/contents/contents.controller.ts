import { Body, Controller, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import {
  ModifyContentInfoDto,
  QueryContentInfoDto,
  DeleteContentsDto,
  DeleteContentsResultDto,
  ContentDto,
  ContentListDto,
  QueryContentListDto,
} from '@family-watch/domain/family-cloud/dto/content.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { SignedUrlService } from '../../sharing/signed-urls/signed-url.service.js';
import { ContentService } from './content.service.js';
import { ContentDeletionService } from './content-deletion.service.js';

@ApiTags('Family cloud')
@Controller('app-api/mcdisk/wristwatch/familyCloud')
export class ContentsController {
  constructor(
    private readonly contents: ContentService,
    private readonly deletion: ContentDeletionService,
    private readonly signedUrls: SignedUrlService,
  ) {}

  @Post('queryContentList')
  @Operation({
    id: 'queryContentList',
    access: ['user', 'watch'],
    summary: 'List a folder of a family cloud',
    response: ContentListDto,
    errors: ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'CATALOG_NOT_FOUND', 'CLOUD_NOT_READY'],
  })
  queryContentList(
    @Caller() caller: Principal,
    @Body() body: QueryContentListDto,
    @Req() request: FastifyRequest,
  ): Promise<ContentListDto> {
    return this.contents.list(caller, this.signedUrls.originOf(request), body);
  }

  @Post('queryContentInfo')
  @Operation({
    id: 'queryContentInfo',
    access: ['user', 'watch'],
    summary: 'Get the properties of a file',
    response: ContentDto,
    errors: ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'CONTENT_NOT_FOUND', 'CLOUD_NOT_READY'],
  })
  queryContentInfo(
    @Caller() caller: Principal,
    @Body() body: QueryContentInfoDto,
    @Req() request: FastifyRequest,
  ): Promise<ContentDto> {
    return this.contents.find(caller, this.signedUrls.originOf(request), body);
  }

  @Post('modifyContentInfo')
  @Operation({
    id: 'modifyContentInfo',
    access: ['user', 'watch'],
    summary: 'Change the name or capture time of a file',
    response: ContentDto,
    errors: ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'CONTENT_NOT_FOUND', 'PERMISSION_MISSING', 'CLOUD_NOT_READY'],
  })
  modifyContentInfo(
    @Caller() caller: Principal,
    @Body() body: ModifyContentInfoDto,
    @Req() request: FastifyRequest,
  ): Promise<ContentDto> {
    return this.contents.modify(caller, this.signedUrls.originOf(request), body);
  }

  @Post('deleteContents')
  @Operation({
    id: 'deleteContents',
    access: ['user', 'watch'],
    summary: 'Move files to the recycle bin',
    description:
      'Specification 4.2. Succeeds also if no file could be deleted; the two lists contain the result for every id.',
    response: DeleteContentsResultDto,
    errors: ['CLOUD_NOT_FOUND', 'TICKET_INVALID', 'CLOUD_NOT_READY'],
  })
  deleteContents(@Caller() caller: Principal, @Body() request: DeleteContentsDto): Promise<DeleteContentsResultDto> {
    return this.deletion.delete(caller, request);
  }
}
