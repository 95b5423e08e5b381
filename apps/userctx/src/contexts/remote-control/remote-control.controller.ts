import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import {
  CommandDto,
  CommandListDto,
  CommandListQueryDto,
  CommandReferenceDto,
  CommandRequestDto,
  CommandResultDto,
  ShutdownRequestDto,
} from '@family-watch/domain/remote-control/dto/remote-command.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import { RemoteControlService } from './remote-control.service.js';

/** All the commands there are: none opens a microphone or a camera. */
@ApiTags('Remote control')
@Controller('apis/v2/userctx')
export class RemoteControlController {
  constructor(private readonly remote: RemoteControlService) {}

  @Post('user/device/remote-control/shutdown')
  @Operation({
    id: 'shutDownWatch',
    access: ['user'],
    summary: 'Switch a watch off; needs a step-up',
    description: 'One that the watch has not begun is not given again: the answer is the first one.',
    response: CommandDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'STEP_UP_REQUIRED', 'SOS_ACTIVE'],
  })
  shutDown(@Caller() caller: Principal, @Body() { did, stepUp }: ShutdownRequestDto): Promise<CommandDto> {
    return this.remote.shutDown(caller, did, stepUp);
  }

  @Post('user/device/remote-control/reboot')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'rebootWatch',
    access: ['user'],
    summary: 'Start a watch anew',
    response: CommandDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'SOS_ACTIVE'],
  })
  reboot(@Caller() caller: Principal, @Body() { did }: CommandRequestDto): Promise<CommandDto> {
    return this.remote.issue(caller, did, 'REBOOT');
  }

  @Post('user/device/remote-control/find')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'findWatch',
    access: ['user'],
    summary: 'Let a watch ring, so that it is found',
    response: CommandDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  find(@Caller() caller: Principal, @Body() { did }: CommandRequestDto): Promise<CommandDto> {
    return this.remote.issue(caller, did, 'FIND');
  }

  @Get('user/device/remote-control/list')
  @Operation({
    id: 'listCommands',
    access: ['user'],
    summary: 'Commands that were given to a watch, newest first',
    response: CommandListDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  list(@Caller() caller: Principal, @Query() query: CommandListQueryDto): Promise<CommandListDto> {
    return this.remote.list(caller, query);
  }

  @Post('user/device/remote-control/cancel')
  @Operation({
    id: 'cancelCommand',
    access: ['user'],
    summary: 'Take a command back that the watch has not begun',
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'COMMAND_NOT_FOUND', 'COMMAND_STATE'],
  })
  cancel(@Caller() caller: Principal, @Body() body: CommandReferenceDto): Promise<void> {
    return this.remote.cancel(caller, body);
  }

  @Post('watch/command/result')
  @Operation({
    id: 'reportCommandResult',
    access: ['watch'],
    summary: 'Say what came of a command',
    errors: ['WATCH_UNBOUND', 'COMMAND_NOT_FOUND', 'COMMAND_STATE'],
  })
  report(@Caller() watch: Principal, @Body() body: CommandResultDto): Promise<void> {
    return this.remote.report(watch, body);
  }
}
