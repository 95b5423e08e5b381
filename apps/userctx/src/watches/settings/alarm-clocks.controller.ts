import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import {
  AlarmClockChangedDto,
  AlarmClockReferenceDto,
  AlarmClocksDto,
  CreateAlarmClockDto,
  UpdateAlarmClockDto,
} from '@family-watch/domain/watches/dto/alarm-clock.dto';
import { SettingsVersionDto } from '@family-watch/domain/watches/dto/settings-status.dto';
import { DeviceQueryDto } from '@family-watch/domain/watches/dto/watch.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/http/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { AlarmClocksService } from './alarm-clocks.service.js';

@ApiTags('Alarm clocks')
@Controller('apis/v2/userctx/user/device/alarm-clock')
export class AlarmClocksController {
  constructor(private readonly alarms: AlarmClocksService) {}

  @Get('get')
  @Operation({
    id: 'getAlarmClocks',
    access: ['user', 'watch'],
    summary: "List the alarms of a child's watch",
    response: AlarmClocksDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  get(@Caller() caller: Principal, @Query() { did }: DeviceQueryDto): Promise<AlarmClocksDto> {
    return this.alarms.get(caller, did);
  }

  @Post('create')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'createAlarmClock',
    access: ['user'],
    summary: 'Create an alarm',
    response: AlarmClockChangedDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'VERSION_STALE', 'LIMIT_REACHED'],
  })
  create(@Caller() caller: Principal, @Body() body: CreateAlarmClockDto): Promise<AlarmClockChangedDto> {
    return this.alarms.create(caller, body);
  }

  @Post('update')
  @Operation({
    id: 'updateAlarmClock',
    access: ['user'],
    summary: 'Update an alarm',
    description:
      'Omitted fields are unchanged. After a change of the schedule, an alarm with `repeat` ONCE rings at the next ' +
      'occurrence of its time.',
    response: AlarmClockChangedDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'VERSION_STALE', 'ALARM_CLOCK_NOT_FOUND'],
  })
  update(@Caller() caller: Principal, @Body() body: UpdateAlarmClockDto): Promise<AlarmClockChangedDto> {
    return this.alarms.update(caller, body);
  }

  @Post('delete')
  @Operation({
    id: 'deleteAlarmClock',
    access: ['user'],
    summary: 'Delete an alarm',
    response: SettingsVersionDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'VERSION_STALE', 'ALARM_CLOCK_NOT_FOUND'],
  })
  delete(@Caller() caller: Principal, @Body() body: AlarmClockReferenceDto): Promise<SettingsVersionDto> {
    return this.alarms.delete(caller, body);
  }
}
