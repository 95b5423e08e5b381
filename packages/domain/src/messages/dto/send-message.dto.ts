import {
  UuidField,
  IntegerField,
  EnumField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { CHAT_KIND, EMOJI } from '../contracts/chat.js';
import type { ChatKind, EmojiCode } from '../contracts/chat.js';
import { ChatSentDto } from './chat.dto.js';

/** A chat message sent over REST, with the fields and rules of the socket event that `kind` names. */
export class SendMessageDto {
  @EnumField(CHAT_KIND)
  kind!: ChatKind;

  @StringField({
    minLength: 1,
    maxLength: 64,
    description: "Unique among the sender's messages; a repeated one is stored once",
  })
  clientMsgId!: string;

  @ReferenceField()
  conversationId!: string;

  @StringField({ optional: true, minLength: 1, description: 'For ChatTextMessage' })
  text?: string;

  @EnumField(EMOJI, { optional: true, description: 'For ChatEmojiMessage' })
  emoji?: EmojiCode;

  @ReferenceField({ optional: true, description: 'Content of the family cloud; for voice, image and video' })
  contentID?: string;

  @IntegerField({ optional: true, min: 1, description: 'Milliseconds; for voice and video' })
  duration?: number;

  @IntegerField({ optional: true, min: 1, description: 'Pixels; for image and video' })
  width?: number;

  @IntegerField({ optional: true, min: 1, description: 'Pixels; for image and video' })
  height?: number;

  @ReferenceField({ optional: true, description: 'Content of the family cloud: thumbnail of an image or video' })
  thumbnail?: string;
}

/** The stored message. */
export class MessageSentDto extends ChatSentDto {
  @UuidField()
  id!: string;

  @UnixMillisecondsField()
  time!: number;
}
