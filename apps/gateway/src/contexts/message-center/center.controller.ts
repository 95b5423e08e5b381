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
import { CenterMessageService } from './center-message.service.js';

/** The caller's message centre. */
@ApiTags('Messages')
@Controller('apis/v2/message/center')
export class CenterController {
  constructor(private readonly inbox: CenterMessageService) {}

  @Get('list')
  @Operation({
    id: 'listCenterMessages',
    access: ['user'],
    summary: 'Messages of the message centre, newest first',
    response: CenterPageDto,
    errors: ['VALIDATION_FAILED'],
  })
  listCenterMessages(@Caller() { id }: Principal, @Query() query: ListCenterMessagesDto): Promise<CenterPageDto> {
    return this.inbox.list(id, query);
  }

  @Post('read')
  @Operation({
    id: 'readCenterMessages',
    access: ['user'],
    summary: 'Mark messages of the message centre as read',
    description: 'Of several messages, those that the caller does not have are passed over.',
    response: CenterUnreadDto,
    errors: ['VALIDATION_FAILED', 'MESSAGE_NOT_FOUND'],
  })
  readCenterMessages(@Caller() { id }: Principal, @Body() body: ReadCenterMessagesDto): Promise<CenterUnreadDto> {
    return this.inbox.read(id, body);
  }

  @Post('delete')
  @Operation({
    id: 'deleteCenterMessages',
    access: ['user'],
    summary: 'Delete messages of the message centre',
    description: 'Of several messages, those that the caller does not have are passed over.',
    response: CenterUnreadDto,
    errors: ['VALIDATION_FAILED', 'MESSAGE_NOT_FOUND'],
  })
  deleteCenterMessages(@Caller() { id }: Principal, @Body() body: DeleteCenterMessagesDto): Promise<CenterUnreadDto> {
    return this.inbox.delete(id, body);
  }
}
