import { Body, Controller, Get, Header, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import {
  CreateDataExportDto,
  DataExportDto,
  LatestDataExportDto,
} from '@family-watch/domain/privacy/dto/data-export.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { Environment } from '@family-watch/platform/config/environment';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { publicUrl } from '@family-watch/platform/http/public-url';
import { DataExportsService } from './data-exports.service.js';

/** Exports of everything that a person may see. */
@ApiTags('Accounts')
@Controller('apis/v2/userctx/user/account/data')
export class DataExportsController {
  constructor(
    private readonly exports: DataExportsService,
    private readonly environment: Environment,
  ) {}

  @Post('export')
  @Operation({
    id: 'createDataExport',
    access: ['user'],
    summary: 'Export everything that the caller may see',
    description:
      'Requires a step-up. The archive (ZIP) contains JSON files and the files of the family clouds. It replaces the ' +
      'archive of an earlier export. CONFLICT while another export of the caller is being assembled.',
    response: DataExportDto,
    errors: ['VALIDATION_FAILED', 'STEP_UP_REQUIRED', 'CONFLICT', 'RATE_LIMITED', 'OVERLOADED'],
  })
  create(@Caller() caller: Principal, @Body() request: CreateDataExportDto): Promise<DataExportDto> {
    return this.exports.create(caller, request);
  }

  @Get('export/get')
  @Header('cache-control', 'no-store')
  @Operation({
    id: 'getDataExport',
    access: ['user'],
    summary: 'Get the state of the last export and the URL of its archive',
    response: LatestDataExportDto,
  })
  get(@Caller() caller: Principal, @Req() request: FastifyRequest): Promise<LatestDataExportDto> {
    return this.exports.findLatest(caller, publicUrl(this.environment, request, ''));
  }
}
