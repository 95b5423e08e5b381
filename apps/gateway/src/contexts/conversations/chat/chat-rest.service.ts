import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { ChatSendResult } from '@family-watch/domain/messages/contracts/chat';
import {
  ChatEmojiDto,
  ChatImageDto,
  ChatTextDto,
  ChatVideoDto,
  ChatVoiceDto,
} from '@family-watch/domain/messages/dto/chat.dto';
import type { MessageSentDto, SendMessageDto } from '@family-watch/domain/messages/dto/chat.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import { validateAs } from '@family-watch/platform/http/request-validation.pipe';
import { CLOCK } from '../../../infrastructure/gateway-infrastructure.js';
import { ChatSenderService } from './chat-sender.service.js';
import { MediaSenderService } from './media-sender.service.js';

/** Sends chat messages that clients submit by REST instead of the socket. */
@Injectable()
export class ChatRestService {
  constructor(
    private readonly sender: ChatSenderService,
    private readonly media: MediaSenderService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Sends a message with the same effect as the socket event named `kind`.
   * @throws ServiceError VALIDATION_FAILED for a payload that the socket event would reject
   */
  async send(caller: Principal, { kind, ...payload }: SendMessageDto): Promise<MessageSentDto> {
    const { id, conversationSeq } = await this.dispatch(caller, kind, payload);
    return { id, conversationSeq, time: this.clock.now() };
  }

  private dispatch(caller: Principal, kind: SendMessageDto['kind'], payload: object): Promise<ChatSendResult> {
    switch (kind) {
      case 'ChatTextMessage':
        return this.sender.send(caller, kind, validateAs(ChatTextDto, payload));
      case 'ChatEmojiMessage':
        return this.sender.send(caller, kind, validateAs(ChatEmojiDto, payload));
      case 'ChatVoiceMessage':
        return this.media.send(caller, kind, validateAs(ChatVoiceDto, payload));
      case 'ChatImageMessage':
        return this.media.send(caller, kind, validateAs(ChatImageDto, payload));
      case 'ChatVideoMessage':
        return this.media.send(caller, kind, validateAs(ChatVideoDto, payload));
    }
  }
}
