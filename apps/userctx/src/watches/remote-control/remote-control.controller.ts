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
} from '@family-watch/domain/watches/dto/remote-command.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { Idempotent } from '@family-watch/platform/http/idempotency/idempotent.decorator';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { RemoteControlService } from './remote-control.service.js';

/** Remote commands. No command opens a microphone or a camera. */
@ApiTags('Remote control')
@Controller('apis/v2/userctx')
export class RemoteControlController {
  constructor(private readonly remoteControl: RemoteControlService) {}

  @Post('user/device/remote-control/shutdown')
  @Operation({
    id: 'shutDownWatch',
    access: ['user'],
    summary: 'Shut down a watch',
    description:
      'Requires a step-up. Not during an SOS of the child. If the watch has not begun an earlier shutdown ' +
      'command, returns the earlier command.',
    response: CommandDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'STEP_UP_REQUIRED', 'SOS_ACTIVE'],
  })
  shutDown(@Caller() caller: Principal, @Body() { did, stepUp }: ShutdownRequestDto): Promise<CommandDto> {
    return this.remoteControl.shutDown(caller, did, stepUp);
  }

  @Post('user/device/remote-control/reboot')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'rebootWatch',
    access: ['user'],
    summary: 'Reboot a watch',
    description:
      'Not during an SOS of the child. If the watch has not begun an earlier reboot command, returns the earlier ' +
      'command.',
    response: CommandDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'SOS_ACTIVE'],
  })
  reboot(@Caller() caller: Principal, @Body() { did }: CommandRequestDto): Promise<CommandDto> {
    return this.remoteControl.issue(caller, did, 'REBOOT');
  }

  @Post('user/device/remote-control/find')
  @Idempotent(UserctxUnitOfWork)
  @Operation({
    id: 'findWatch',
    access: ['user'],
    summary: 'Make a watch ring to find it',
    description: 'If the watch has not begun an earlier command of this kind, returns the earlier command.',
    response: CommandDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  ring(@Caller() caller: Principal, @Body() { did }: CommandRequestDto): Promise<CommandDto> {
    return this.remoteControl.issue(caller, did, 'FIND');
  }

  @Get('user/device/remote-control/list')
  @Operation({
    id: 'listCommands',
    access: ['user'],
    summary: "List a watch's commands",
    description: 'Newest first.',
    response: CommandListDto,
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING'],
  })
  list(@Caller() caller: Principal, @Query() query: CommandListQueryDto): Promise<CommandListDto> {
    return this.remoteControl.list(caller, query);
  }

  @Post('user/device/remote-control/cancel')
  @Operation({
    id: 'cancelCommand',
    access: ['user'],
    summary: 'Cancel a command',
    description: 'Only a command that the watch has not begun can be cancelled.',
    errors: ['WATCH_NOT_FOUND', 'PERMISSION_MISSING', 'COMMAND_NOT_FOUND', 'COMMAND_STATE'],
  })
  cancel(@Caller() caller: Principal, @Body() body: CommandReferenceDto): Promise<void> {
    return this.remoteControl.cancel(caller, body);
  }

  @Post('watch/command/result')
  @Operation({
    id: 'reportCommandResult',
    access: ['watch'],
    summary: 'Report the result of a command',
    description:
      'When the watch begins a command, it acknowledges the message of the command with an AckMessage and the ' +
      'status APPLIED; when it has ended, it reports the result here.',
    errors: ['WATCH_UNBOUND', 'COMMAND_NOT_FOUND', 'COMMAND_STATE'],
  })
  reportResult(@Caller() watch: Principal, @Body() body: CommandResultDto): Promise<void> {
    return this.remoteControl.report(watch, body);
  }
}
