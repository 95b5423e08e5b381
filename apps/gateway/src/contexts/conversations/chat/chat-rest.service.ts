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
import type { MessageSentDto, SendMessageDto } from '@family-watch/domain/messages/dto/send-message.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import { validateAs } from '@family-watch/platform/http/request-validation.pipe';
import { CLOCK } from '../../../infrastructure/gateway.tokens.js';
import { ChatSenderService } from './chat-sender.service.js';
import { MediaSenderService } from './media-sender.service.js';

/** Chat messages by request instead of by socket. */
@Injectable()
export class ChatRestService {
  constructor(
    private readonly sender: ChatSenderService,
    private readonly media: MediaSenderService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** As the socket event named `kind`. @throws ServiceError VALIDATION_FAILED by the rules of that event */
  async send(caller: Principal, { kind, ...said }: SendMessageDto): Promise<MessageSentDto> {
    const { id, conversationSeq } = await this.dispatch(caller, kind, said);
    return { id, conversationSeq, time: this.clock.now() };
  }

  private dispatch(caller: Principal, kind: SendMessageDto['kind'], said: object): Promise<ChatSendResult> {
    switch (kind) {
      case 'ChatTextMessage':
        return this.sender.send(caller, kind, validateAs(ChatTextDto, said));
      case 'ChatEmojiMessage':
        return this.sender.send(caller, kind, validateAs(ChatEmojiDto, said));
      case 'ChatVoiceMessage':
        return this.media.send(caller, kind, validateAs(ChatVoiceDto, said));
      case 'ChatImageMessage':
        return this.media.send(caller, kind, validateAs(ChatImageDto, said));
      case 'ChatVideoMessage':
        return this.media.send(caller, kind, validateAs(ChatVideoDto, said));
    }
  }
}
