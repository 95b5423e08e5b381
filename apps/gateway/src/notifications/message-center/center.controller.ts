import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import {
  CenterPageDto,
  CenterUnreadDto,
  DeleteCenterMessagesDto,
  ListCenterMessagesDto,
  ReadCenterMessagesDto,
} from '@family-watch/domain/messages/dto/message-center.dto';
import { Caller } from '@family-watch/platform/http/caller.decorator';
import { Operation } from '@family-watch/platform/http/operation.decorator';
import { MessageCenterService } from './message-center.service.js';

/** Lists and changes the center messages of the caller. */
@ApiTags('Messages')
@Controller('apis/v2/message/center')
export class CenterController {
  constructor(private readonly messages: MessageCenterService) {}

  @Get('list')
  @Operation({
    id: 'listCenterMessages',
    access: ['user'],
    summary: 'List message centre messages, newest first',
    response: CenterPageDto,
    errors: ['VALIDATION_FAILED', 'FAMILY_NOT_READY'],
  })
  listCenterMessages(@Caller() { id }: Principal, @Query() query: ListCenterMessagesDto): Promise<CenterPageDto> {
    return this.messages.list(id, query);
  }

  @Post('read')
  @Operation({
    id: 'readCenterMessages',
    access: ['user'],
    summary: 'Mark message centre messages as read',
    description:
      'Exactly one of `messageIds` and `through` is required. Messages that the caller does not have are ' +
      'ignored, unless the caller has none of them.',
    response: CenterUnreadDto,
    errors: ['VALIDATION_FAILED', 'MESSAGE_NOT_FOUND'],
  })
  readCenterMessages(@Caller() { id }: Principal, @Body() body: ReadCenterMessagesDto): Promise<CenterUnreadDto> {
    return this.messages.markRead(id, body);
  }

  @Post('delete')
  @Operation({
    id: 'deleteCenterMessages',
    access: ['user'],
    summary: 'Delete message centre messages',
    description: 'Messages that the caller does not have are ignored, unless the caller has none of them.',
    response: CenterUnreadDto,
    errors: ['VALIDATION_FAILED', 'MESSAGE_NOT_FOUND'],
  })
  deleteCenterMessages(@Caller() { id }: Principal, @Body() body: DeleteCenterMessagesDto): Promise<CenterUnreadDto> {
    return this.messages.delete(id, body);
  }
}
