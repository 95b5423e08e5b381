import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import {
  CreatePushTokenDto,
  DeletePushTokenDto,
  PushTokenDto,
} from '@family-watch/domain/messages/dto/subscription.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { PushTokenService } from './push-token.service.js';

/** Registers and deletes the push tokens to which notifications are sent while no device of the caller is connected. */
@ApiTags('Messages')
@Controller('apis/v2/message/push-token')
export class PushTokensController {
  constructor(private readonly tokens: PushTokenService) {}

  @Post('create')
  @Operation({
    id: 'createPushToken',
    access: ['user'],
    servesUnsupportedApps: true,
    summary: 'Register a push token',
    description:
      'The token belongs to the session of the request and is deleted with the session. A further token of the ' +
      'session for the same push service replaces the earlier token.',
    response: PushTokenDto,
    errors: ['VALIDATION_FAILED', 'PUSH_TOKEN_INVALID', 'PUSH_SERVICE_UNSUPPORTED'],
  })
  createPushToken(@Caller() caller: Principal, @Body() body: CreatePushTokenDto): Promise<PushTokenDto> {
    return this.tokens.create(caller, body);
  }

  @Post('delete')
  @Operation({
    id: 'deletePushToken',
    access: ['user'],
    servesUnsupportedApps: true,
    summary: 'Delete a push token',
    errors: ['VALIDATION_FAILED', 'PUSH_TOKEN_INVALID'],
  })
  deletePushToken(@Caller() caller: Principal, @Body() { tokenId }: DeletePushTokenDto): Promise<void> {
    return this.tokens.delete(caller, tokenId);
  }
}
