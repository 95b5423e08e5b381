import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ReportResultDto } from '@family-watch/domain/kernel/dto/rejected-parts.dto';
import { EarlyExitItemDto, EarlyExitReportDto } from '@family-watch/domain/watches/dto/school-time.dto';
import { BlockedCallReportDto, ReportedCallDto } from '@family-watch/domain/watches/dto/stranger.dto';
import { WatchSettingsDto, WatchSettingsQueryDto } from '@family-watch/domain/watches/dto/watch-settings.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { validateItems } from '@family-watch/platform/http/request-validation.pipe';
import { SchoolTimesService } from './school-times.service.js';
import { StrangersService } from './strangers.service.js';
import { WatchPullService } from './watch-pull.service.js';

@ApiTags('Watch device')
@Controller('apis/v2/userctx/watch')
export class WatchPullController {
  constructor(
    private readonly settings: WatchPullService,
    private readonly strangers: StrangersService,
    private readonly schoolTimes: SchoolTimesService,
  ) {}

  @Get('settings/get')
  @Operation({
    id: 'pullWatchSettings',
    access: ['watch'],
    summary: "Get the watch's settings",
    description: 'The watch acknowledges the change notice with the returned version.',
    response: WatchSettingsDto,
    errors: ['WATCH_UNBOUND'],
  })
  pull(@Caller() watch: Principal, @Query() { resources }: WatchSettingsQueryDto): Promise<WatchSettingsDto> {
    return this.settings.get(watch, resources);
  }

  @Post('blocked-call/report')
  @Operation({
    id: 'reportBlockedCalls',
    access: ['watch'],
    summary: 'Report calls from strangers',
    description: 'A repeated report changes nothing. Invalid calls are dropped and named in the response.',
    response: ReportResultDto,
    errors: ['WATCH_UNBOUND'],
  })
  async reportBlockedCalls(
    @Caller() watch: Principal,
    @Body() { calls }: BlockedCallReportDto,
  ): Promise<ReportResultDto> {
    const { valid, rejected } = validateItems(ReportedCallDto, 'calls', calls);
    await this.strangers.reportCalls(watch, valid);
    return { rejected };
  }

  @Post('early-exit/report')
  @Operation({
    id: 'reportEarlyExits',
    access: ['watch'],
    summary: 'Report early exits from school mode',
    description: 'A repeated report changes nothing. Invalid exits are dropped and named in the response.',
    response: ReportResultDto,
    errors: ['WATCH_UNBOUND'],
  })
  async reportEarlyExits(@Caller() watch: Principal, @Body() { exits }: EarlyExitReportDto): Promise<ReportResultDto> {
    const { valid, rejected } = validateItems(EarlyExitItemDto, 'exits', exits);
    await this.schoolTimes.reportEarlyExits(watch, valid);
    return { rejected };
  }
}
