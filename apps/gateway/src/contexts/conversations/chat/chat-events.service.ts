import { Injectable } from '@nestjs/common';
import type { ChatSent } from '@family-watch/domain/messages/contracts/chat';
import type {
  ChatEmojiDto,
  ChatImageDto,
  ChatTextDto,
  ChatVideoDto,
  ChatVoiceDto,
} from '@family-watch/domain/messages/dto/chat.dto';
import type { ClientSession } from '../../connections/client-session.js';
import { Receives } from '../../connections/receives.decorator.js';
import { ChatSender } from './chat-sender.service.js';
import { MediaSender } from './media-sender.service.js';

/** What clients say in conversations. The sender is the session, never a field. */
@Injectable()
export class ChatEvents {
  constructor(
    private readonly sender: ChatSender,
    private readonly media: MediaSender,
  ) {}

  @Receives('ChatTextMessage')
  text(said: ChatTextDto, { connection }: ClientSession): Promise<ChatSent> {
    return this.sender.send(connection.identity.principal, 'ChatTextMessage', said);
  }

  @Receives('ChatEmojiMessage')
  emoji(said: ChatEmojiDto, { connection }: ClientSession): Promise<ChatSent> {
    return this.sender.send(connection.identity.principal, 'ChatEmojiMessage', said);
  }

  @Receives('ChatVoiceMessage')
  voice(said: ChatVoiceDto, { connection }: ClientSession): Promise<ChatSent> {
    return this.media.send(connection.identity.principal, 'ChatVoiceMessage', said);
  }

  @Receives('ChatImageMessage')
  image(said: ChatImageDto, { connection }: ClientSession): Promise<ChatSent> {
    return this.media.send(connection.identity.principal, 'ChatImageMessage', said);
  }

  @Receives('ChatVideoMessage')
  video(said: ChatVideoDto, { connection }: ClientSession): Promise<ChatSent> {
    return this.media.send(connection.identity.principal, 'ChatVideoMessage', said);
  }
}
