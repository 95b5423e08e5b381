import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { SettingsVersionDto } from '@family-watch/domain/watches/dto/settings-status.dto';
import {
  BlockedCallListDto,
  BlockedCallQueryDto,
  AllowNumberChangedDto,
  AllowNumberReferenceDto,
  CreateAllowNumberDto,
  StrangerRuleDto,
  UpdateStrangerRuleDto,
} from '@family-watch/domain/watches/dto/stranger.dto';
import { DeviceQueryDto } from '@family-watch/domain/watches/dto/watch.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/http/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { StrangersService } from './strangers.service.js';

@ApiTags('Strangers')
@Controller('apis/v2/userctx/user/device/reject-stranger')
export class StrangersController {
  constructor(private readonly strangers: StrangersService) {}

  @Get('get')
  @Operation({
    id: 'getStrangerRule',
    access: ['user', 'watch'],
    summary: 'Get the rule for calls from strangers',
    description: 'Includes the phone numbers that may call although calls from strangers are rejected.',
    response: StrangerRuleDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  get(@Caller() caller: Principal, @Query() { did }: DeviceQueryDto): Promise<StrangerRuleDto> {
    return this.strangers.get(caller, did);
  }

  @Post('update')
  @Operation({
    id: 'updateStrangerRule',
    access: ['user'],
    summary: 'Set whether calls from strangers are rejected',
    response: SettingsVersionDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'VERSION_STALE'],
  })
  update(@Caller() caller: Principal, @Body() body: UpdateStrangerRuleDto): Promise<SettingsVersionDto> {
    return this.strangers.update(caller, body);
  }

  @Get('blocked-call/list')
  @Operation({
    id: 'listBlockedCalls',
    access: ['user'],
    summary: 'List blocked calls',
    description: 'Newest first.',
    response: BlockedCallListDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  listBlockedCalls(@Caller() caller: Principal, @Query() query: BlockedCallQueryDto): Promise<BlockedCallListDto> {
    return this.strangers.listBlockedCalls(caller, query);
  }

  @Post('allow-number/create')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'createAllowNumber',
    access: ['user'],
    summary: 'Allow a number to call',
    description:
      'The number may call once or any number of times, until the permission expires. Allowing a number again changes ' +
      'the expiry of its permission.',
    response: AllowNumberChangedDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'VERSION_STALE', 'LIMIT_REACHED'],
  })
  createAllowNumber(@Caller() caller: Principal, @Body() body: CreateAllowNumberDto): Promise<AllowNumberChangedDto> {
    return this.strangers.allow(caller, body);
  }

  @Post('allow-number/delete')
  @Operation({
    id: 'deleteAllowNumber',
    access: ['user'],
    summary: 'Delete an allowed number',
    response: SettingsVersionDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'VERSION_STALE', 'ALLOW_NUMBER_NOT_FOUND'],
  })
  deleteAllowNumber(@Caller() caller: Principal, @Body() body: AllowNumberReferenceDto): Promise<SettingsVersionDto> {
    return this.strangers.disallow(caller, body);
  }
}
