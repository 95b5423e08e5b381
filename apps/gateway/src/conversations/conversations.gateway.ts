import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import type { ChatSendResult } from '@family-watch/domain/messages/contracts/chat';
import type {
  ChatEmojiDto,
  ChatImageDto,
  ChatTextDto,
  ChatVideoDto,
  ChatVoiceDto,
} from '@family-watch/domain/messages/dto/chat.dto';
import type { ClientSession } from '../connections/client-session.js';
import { ChatService } from './chat/chat.service.js';

/** Handles the chat events of clients. The sender is always the session's principal, never a payload field. */
@WebSocketGateway()
export class ConversationsGateway {
  constructor(private readonly chat: ChatService) {}

  @SubscribeMessage('ChatTextMessage')
  sendText({ connection }: ClientSession, payload: ChatTextDto): Promise<ChatSendResult> {
    return this.chat.send(connection.identity.principal, 'ChatTextMessage', payload);
  }

  @SubscribeMessage('ChatEmojiMessage')
  sendEmoji({ connection }: ClientSession, payload: ChatEmojiDto): Promise<ChatSendResult> {
    return this.chat.send(connection.identity.principal, 'ChatEmojiMessage', payload);
  }

  @SubscribeMessage('ChatVoiceMessage')
  sendVoice({ connection }: ClientSession, payload: ChatVoiceDto): Promise<ChatSendResult> {
    return this.chat.send(connection.identity.principal, 'ChatVoiceMessage', payload);
  }

  @SubscribeMessage('ChatImageMessage')
  sendImage({ connection }: ClientSession, payload: ChatImageDto): Promise<ChatSendResult> {
    return this.chat.send(connection.identity.principal, 'ChatImageMessage', payload);
  }

  @SubscribeMessage('ChatVideoMessage')
  sendVideo({ connection }: ClientSession, payload: ChatVideoDto): Promise<ChatSendResult> {
    return this.chat.send(connection.identity.principal, 'ChatVideoMessage', payload);
  }
}
