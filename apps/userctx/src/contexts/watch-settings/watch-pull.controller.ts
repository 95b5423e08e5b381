import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { EmptyDto } from '@family-watch/domain/kernel/dto/empty.dto';
import { BlockedCallReportDto } from '@family-watch/domain/watch-settings/dto/blocked-call.dto';
import { EarlyExitReportDto } from '@family-watch/domain/watch-settings/dto/early-exit.dto';
import { WatchSettingsDto, WatchSettingsQueryDto } from '@family-watch/domain/watch-settings/dto/watch-settings.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { EarlyExitsService } from './school-times/early-exits.service.js';
import { BlockedCallsService } from './strangers/blocked-calls.service.js';
import { WatchPullService } from './watch-pull.service.js';

@ApiTags("The watch's own side")
@Controller('apis/v2/userctx/watch')
export class WatchPullController {
  constructor(
    private readonly settings: WatchPullService,
    private readonly calls: BlockedCallsService,
    private readonly earlyExits: EarlyExitsService,
  ) {}

  @Get('settings/get')
  @Operation({
    id: 'pullWatchSettings',
    access: ['watch'],
    summary: 'The settings of the watch; it answers the notice that told of them with the version that it pulled',
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
    summary: 'Report what became of calls from strangers; the same again stores nothing new',
    errors: ['WATCH_UNBOUND'],
  })
  async reportBlockedCalls(@Caller() watch: Principal, @Body() { calls }: BlockedCallReportDto): Promise<EmptyDto> {
    await this.calls.report(watch, calls);
    return new EmptyDto();
  }

  @Post('early-exit/report')
  @Operation({
    id: 'reportEarlyExits',
    access: ['watch'],
    summary: 'Report that the child ended the school mode before its time; the same again stores nothing new',
    errors: ['WATCH_UNBOUND'],
  })
  async reportEarlyExits(@Caller() watch: Principal, @Body() { exits }: EarlyExitReportDto): Promise<EmptyDto> {
    await this.earlyExits.report(watch, exits);
    return new EmptyDto();
  }
}
