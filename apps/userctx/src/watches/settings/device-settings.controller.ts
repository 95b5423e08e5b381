import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { SettingsVersionDto } from '@family-watch/domain/watches/dto/settings-status.dto';
import {
  DeviceSettingsDto,
  UpdateDeviceSettingsDto,
  UpdateLocationModeDto,
  UpdateLostModeDto,
} from '@family-watch/domain/watches/dto/watch-settings.dto';
import { DeviceQueryDto } from '@family-watch/domain/watches/dto/watch.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { DeviceSettingsService } from './device-settings.service.js';

@ApiTags('Device settings')
@Controller('apis/v2/userctx/user')
export class DeviceSettingsController {
  constructor(private readonly settings: DeviceSettingsService) {}

  @Get('device/settings/get')
  @Operation({
    id: 'getDeviceSettings',
    access: ['user', 'watch'],
    summary: "Get a watch's location mode, lost mode, sound, screen and times",
    response: DeviceSettingsDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  get(@Caller() caller: Principal, @Query() { did }: DeviceQueryDto): Promise<DeviceSettingsDto> {
    return this.settings.get(caller, did);
  }

  @Post('device/settings/update')
  @Operation({
    id: 'updateDeviceSettings',
    access: ['user'],
    summary: "Change a watch's volume, ring mode, brightness, language, power schedule and location schedule",
    description: 'Omitted fields are unchanged. `null` clears a field: the watch then uses its own default.',
    response: SettingsVersionDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'VERSION_STALE'],
  })
  update(@Caller() caller: Principal, @Body() body: UpdateDeviceSettingsDto): Promise<SettingsVersionDto> {
    return this.settings.update(caller, body);
  }

  @Post('location/mode/update')
  @Operation({
    id: 'updateLocationMode',
    access: ['user'],
    summary: "Set a watch's location mode",
    description: 'The mode is permanent, or expires after `expiresIn` seconds.',
    response: SettingsVersionDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'VERSION_STALE'],
  })
  updateLocationMode(@Caller() caller: Principal, @Body() body: UpdateLocationModeDto): Promise<SettingsVersionDto> {
    return this.settings.setLocationMode(caller, body);
  }

  @Post('device/lost-mode/update')
  @Operation({
    id: 'updateLostMode',
    access: ['user'],
    summary: "Set a watch's lost mode",
    response: SettingsVersionDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'VERSION_STALE'],
  })
  updateLostMode(@Caller() caller: Principal, @Body() body: UpdateLostModeDto): Promise<SettingsVersionDto> {
    return this.settings.setLostMode(caller, body);
  }
}
