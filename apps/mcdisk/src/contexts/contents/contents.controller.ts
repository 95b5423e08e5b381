import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DeleteContentsDto, DeleteContentsResultDto } from '@family-watch/domain/family-cloud/dto/delete-contents.dto';
import { ContentListDto, QueryContentListDto } from '@family-watch/domain/family-cloud/dto/query-content-list.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { ContentService } from './content.service.js';
import { DeletionService } from './deletion.service.js';

@ApiTags('Family cloud')
@Controller('app-api/mcdisk/wristwatch/familyCloud')
export class ContentsController {
  constructor(
    private readonly contents: ContentService,
    private readonly deletion: DeletionService,
  ) {}

  @Post('queryContentList')
  @Operation({
    id: 'queryContentList',
    access: ['user', 'watch'],
    summary: 'List a catalog of a family cloud',
    response: ContentListDto,
    errors: ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'CATALOG_NOT_FOUND', 'CLOUD_NOT_READY'],
  })
  queryContentList(@Caller() caller: Principal, @Body() request: QueryContentListDto): Promise<ContentListDto> {
    return this.contents.list(caller, request);
  }

  @Post('deleteContents')
  @Operation({
    id: 'deleteContents',
    access: ['user', 'watch'],
    summary: 'Move files of a family cloud to its recycle bin (specification 4.2)',
    description: 'Succeeds also when no file could be deleted: the two lists carry the truth for every id.',
    response: DeleteContentsResultDto,
    errors: ['CLOUD_TYPE_UNSUPPORTED', 'CLOUD_NOT_FOUND', 'TICKET_INVALID', 'CLOUD_NOT_READY'],
  })
  deleteContents(@Caller() caller: Principal, @Body() request: DeleteContentsDto): Promise<DeleteContentsResultDto> {
    return this.deletion.delete(caller, request);
  }
}
