import { Injectable } from '@nestjs/common';
import type { ChatSendResult } from '@family-watch/domain/messages/contracts/chat';
import type {
  ChatEmojiDto,
  ChatImageDto,
  ChatTextDto,
  ChatVideoDto,
  ChatVoiceDto,
} from '@family-watch/domain/messages/dto/chat.dto';
import type { ClientSession } from '../../connections/client-session.js';
import { OnClientEvent } from '../../connections/on-client-event.decorator.js';
import { ChatSenderService } from './chat-sender.service.js';
import { MediaSenderService } from './media-sender.service.js';

/** Handles the chat events of clients. The sender is always the session's principal, never a payload field. */
@Injectable()
export class ChatEventsService {
  constructor(
    private readonly sender: ChatSenderService,
    private readonly media: MediaSenderService,
  ) {}

  @OnClientEvent('ChatTextMessage')
  text(payload: ChatTextDto, { connection }: ClientSession): Promise<ChatSendResult> {
    return this.sender.send(connection.identity.principal, 'ChatTextMessage', payload);
  }

  @OnClientEvent('ChatEmojiMessage')
  emoji(payload: ChatEmojiDto, { connection }: ClientSession): Promise<ChatSendResult> {
    return this.sender.send(connection.identity.principal, 'ChatEmojiMessage', payload);
  }

  @OnClientEvent('ChatVoiceMessage')
  voice(payload: ChatVoiceDto, { connection }: ClientSession): Promise<ChatSendResult> {
    return this.media.send(connection.identity.principal, 'ChatVoiceMessage', payload);
  }

  @OnClientEvent('ChatImageMessage')
  image(payload: ChatImageDto, { connection }: ClientSession): Promise<ChatSendResult> {
    return this.media.send(connection.identity.principal, 'ChatImageMessage', payload);
  }

  @OnClientEvent('ChatVideoMessage')
  video(payload: ChatVideoDto, { connection }: ClientSession): Promise<ChatSendResult> {
    return this.media.send(connection.identity.principal, 'ChatVideoMessage', payload);
  }
}
