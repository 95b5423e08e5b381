import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CreateCloudDocDto, ModifyCloudDocDto, CatalogDto } from '@family-watch/domain/family-cloud/dto/content.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { IdempotentInCloud } from '../../clouds/cloud-request.js';
import { FolderService } from './folder.service.js';

const FOLDER_ERRORS = [
  'CLOUD_TYPE_UNSUPPORTED',
  'CLOUD_NOT_FOUND',
  'PERMISSION_MISSING',
  'CATALOG_NOT_FOUND',
  'CATALOG_EXISTS',
  'CLOUD_NOT_READY',
] as const;

@ApiTags('Family cloud')
@Controller('app-api/mcdisk/wristwatch/familyCloud')
export class FoldersController {
  constructor(private readonly folders: FolderService) {}

  @Post('createCloudDoc')
  @Operation({
    id: 'createCloudDoc',
    access: ['user', 'watch'],
    summary: 'Create a folder in a family cloud',
    response: CatalogDto,
    errors: [...FOLDER_ERRORS, 'LIMIT_REACHED', 'IDEMPOTENCY_KEY_REUSED'],
  })
  @IdempotentInCloud()
  createCloudDoc(@Caller() caller: Principal, @Body() request: CreateCloudDocDto): Promise<CatalogDto> {
    return this.folders.create(caller, request);
  }

  @Post('modifyCloudDoc')
  @Operation({
    id: 'modifyCloudDoc',
    access: ['user', 'watch'],
    summary: 'Rename a folder of a family cloud',
    response: CatalogDto,
    errors: FOLDER_ERRORS,
  })
  modifyCloudDoc(@Caller() caller: Principal, @Body() request: ModifyCloudDocDto): Promise<CatalogDto> {
    return this.folders.rename(caller, request);
  }
}
