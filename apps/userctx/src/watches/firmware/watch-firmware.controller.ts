import { Body, Controller, Inject, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import {
  FirmwareCheckDto,
  FirmwareCheckRequestDto,
  FirmwareReportDto,
} from '@family-watch/domain/watches/dto/firmware.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';
import { Environment } from '@family-watch/platform/config/environment';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { publicUrl } from '@family-watch/platform/http/public-url';
import { WatchUpdatesService } from './watch-updates.service.js';

@ApiTags('Watch device')
@Controller('apis/v2')
export class WatchFirmwareController {
  constructor(
    private readonly updates: WatchUpdatesService,
    @Inject(Environment) private readonly environment: Pick<Environment, 'PUBLIC_URL' | 'PUBLIC_HOSTS'>,
  ) {}

  @Post('tool/firmware/check')
  @Operation({
    id: 'checkFirmware',
    access: ['watch'],
    summary: 'Check for a firmware update',
    description:
      'A watch checks after each `hello`, when `retryAfter` has passed, and to continue an interrupted download: the ' +
      'response then contains the same update with a new URL.',
    response: FirmwareCheckDto,
    errors: ['WATCH_NOT_FOUND'],
  })
  check(
    @Caller() watch: Principal,
    @Body() request: FirmwareCheckRequestDto,
    @Req() received: FastifyRequest,
  ): Promise<FirmwareCheckDto> {
    return this.updates.check(Number(watch.id), request, publicUrl(this.environment, received, ''));
  }

  @Post('userctx/watch/firmware/report')
  @Operation({
    id: 'reportFirmware',
    access: ['watch'],
    summary: 'Report the progress of a firmware update',
    description:
      'Repeated, late and reordered reports are accepted and change nothing. An image that has failed twice, or that ' +
      'the watch has REJECTED, is not offered to the watch again.',
    errors: ['DEPLOYMENT_NOT_FOUND'],
  })
  async report(@Caller() watch: Principal, @Body() request: FirmwareReportDto): Promise<EmptyDto> {
    await this.updates.report(Number(watch.id), request);
    return new EmptyDto();
  }
}
