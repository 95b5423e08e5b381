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

/** What clients say in conversations. The sender is the session, never a field. */
@Injectable()
export class ChatEventsService {
  constructor(
    private readonly sender: ChatSenderService,
    private readonly media: MediaSenderService,
  ) {}

  @OnClientEvent('ChatTextMessage')
  text(said: ChatTextDto, { connection }: ClientSession): Promise<ChatSendResult> {
    return this.sender.send(connection.identity.principal, 'ChatTextMessage', said);
  }

  @OnClientEvent('ChatEmojiMessage')
  emoji(said: ChatEmojiDto, { connection }: ClientSession): Promise<ChatSendResult> {
    return this.sender.send(connection.identity.principal, 'ChatEmojiMessage', said);
  }

  @OnClientEvent('ChatVoiceMessage')
  voice(said: ChatVoiceDto, { connection }: ClientSession): Promise<ChatSendResult> {
    return this.media.send(connection.identity.principal, 'ChatVoiceMessage', said);
  }

  @OnClientEvent('ChatImageMessage')
  image(said: ChatImageDto, { connection }: ClientSession): Promise<ChatSendResult> {
    return this.media.send(connection.identity.principal, 'ChatImageMessage', said);
  }

  @OnClientEvent('ChatVideoMessage')
  video(said: ChatVideoDto, { connection }: ClientSession): Promise<ChatSendResult> {
    return this.media.send(connection.identity.principal, 'ChatVideoMessage', said);
  }
}
