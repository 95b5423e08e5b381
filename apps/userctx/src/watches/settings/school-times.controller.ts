import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import {
  EarlyExitListDto,
  EarlyExitQueryDto,
  CreateSchoolTimeDto,
  PauseSchoolTodayDto,
  SchoolPausedDto,
  SchoolTimeChangedDto,
  SchoolTimeReferenceDto,
  SchoolTimesDto,
  UpdateSchoolTimeDto,
} from '@family-watch/domain/watches/dto/school-time.dto';
import { SettingsVersionDto } from '@family-watch/domain/watches/dto/settings-status.dto';
import { DeviceQueryDto } from '@family-watch/domain/watches/dto/watch.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/http/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { SchoolTimesService } from './school-times.service.js';

@ApiTags('School time')
@Controller('apis/v2/userctx/user/device/school-disable')
export class SchoolTimesController {
  constructor(private readonly schoolTimes: SchoolTimesService) {}

  @Get('get')
  @Operation({
    id: 'getSchoolTimes',
    access: ['user', 'watch'],
    summary: 'List the school times of a watch',
    response: SchoolTimesDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  get(@Caller() caller: Principal, @Query() { did }: DeviceQueryDto): Promise<SchoolTimesDto> {
    return this.schoolTimes.get(caller, did);
  }

  @Post('create')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'createSchoolTime',
    access: ['user'],
    summary: 'Create a school time',
    description:
      'A school time may cross midnight and may begin when another ends, but enabled school times must not overlap. ' +
      '`details` of the error names the school times that the new school time overlaps.',
    response: SchoolTimeChangedDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'VERSION_STALE', 'CONTACT_NOT_FOUND', 'LIMIT_REACHED'],
  })
  create(@Caller() caller: Principal, @Body() body: CreateSchoolTimeDto): Promise<SchoolTimeChangedDto> {
    return this.schoolTimes.create(caller, body);
  }

  @Post('update')
  @Operation({
    id: 'updateSchoolTime',
    access: ['user'],
    summary: 'Update a school time',
    description: 'Omitted fields are unchanged.',
    response: SchoolTimeChangedDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'VERSION_STALE', 'SCHOOL_TIME_NOT_FOUND', 'CONTACT_NOT_FOUND'],
  })
  update(@Caller() caller: Principal, @Body() body: UpdateSchoolTimeDto): Promise<SchoolTimeChangedDto> {
    return this.schoolTimes.update(caller, body);
  }

  @Post('delete')
  @Operation({
    id: 'deleteSchoolTime',
    access: ['user'],
    summary: 'Delete a school time',
    response: SettingsVersionDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'VERSION_STALE', 'SCHOOL_TIME_NOT_FOUND'],
  })
  delete(@Caller() caller: Principal, @Body() body: SchoolTimeReferenceDto): Promise<SettingsVersionDto> {
    return this.schoolTimes.delete(caller, body);
  }

  @Post('pause-today')
  @Operation({
    id: 'pauseSchoolToday',
    access: ['user'],
    summary: 'Pause school time for today',
    description: "The pause lasts until midnight in the child's time zone.",
    response: SchoolPausedDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'VERSION_STALE'],
  })
  pauseToday(@Caller() caller: Principal, @Body() body: PauseSchoolTodayDto): Promise<SchoolPausedDto> {
    return this.schoolTimes.pauseToday(caller, body);
  }

  @Get('early-exit/list')
  @Operation({
    id: 'listEarlyExits',
    access: ['user'],
    summary: 'List early exits from school mode',
    description: 'Newest first.',
    response: EarlyExitListDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  listEarlyExits(@Caller() caller: Principal, @Query() query: EarlyExitQueryDto): Promise<EarlyExitListDto> {
    return this.schoolTimes.listEarlyExits(caller, query);
  }
}
