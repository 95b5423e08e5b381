import { Id, Integer, OneOf, Reference, Text, UnixMilliseconds } from '../../kernel/dto/fields.js';
import { CHAT_KIND, EMOJI } from '../contracts/chat.js';
import type { ChatKind, EmojiCode } from '../contracts/chat.js';
import { ChatSentDto } from './chat.dto.js';

/** A chat message by request: the fields of the socket event that `kind` names, by its rules. */
export class SendMessageDto {
  @OneOf(CHAT_KIND)
  kind!: ChatKind;

  @Text({ minLength: 1, maxLength: 64, description: "Unique among the sender's messages; the same one is stored once" })
  clientMsgId!: string;

  @Reference()
  conversationId!: string;

  @Text({ optional: true, minLength: 1, description: 'Of a text' })
  text?: string;

  @OneOf(EMOJI, { optional: true, description: 'Of an emoji' })
  emoji?: EmojiCode;

  @Reference({ optional: true, description: 'Content of the family cloud: of voice, image and video' })
  contentID?: string;

  @Integer({ optional: true, min: 1, description: 'Milliseconds: of voice and video' })
  duration?: number;

  @Integer({ optional: true, min: 1, description: 'Pixels: of image and video' })
  width?: number;

  @Integer({ optional: true, min: 1, description: 'Pixels: of image and video' })
  height?: number;

  @Reference({ optional: true, description: 'Content of the family cloud: a small image of image or video' })
  thumbnail?: string;
}

/** The message as it is stored. */
export class MessageSentDto extends ChatSentDto {
  @Id()
  id!: string;

  @UnixMilliseconds()
  time!: number;
}
