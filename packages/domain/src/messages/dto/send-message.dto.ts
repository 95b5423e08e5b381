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

/** A chat message by request: the fields of the socket event that `kind` names, by its rules. */
export class SendMessageDto {
  @EnumField(CHAT_KIND)
  kind!: ChatKind;

  @StringField({
    minLength: 1,
    maxLength: 64,
    description: "Unique among the sender's messages; the same one is stored once",
  })
  clientMsgId!: string;

  @ReferenceField()
  conversationId!: string;

  @StringField({ optional: true, minLength: 1, description: 'Of a text' })
  text?: string;

  @EnumField(EMOJI, { optional: true, description: 'Of an emoji' })
  emoji?: EmojiCode;

  @ReferenceField({ optional: true, description: 'Content of the family cloud: of voice, image and video' })
  contentID?: string;

  @IntegerField({ optional: true, min: 1, description: 'Milliseconds: of voice and video' })
  duration?: number;

  @IntegerField({ optional: true, min: 1, description: 'Pixels: of image and video' })
  width?: number;

  @IntegerField({ optional: true, min: 1, description: 'Pixels: of image and video' })
  height?: number;

  @ReferenceField({ optional: true, description: 'Content of the family cloud: a small image of image or video' })
  thumbnail?: string;
}

/** The message as it is stored. */
export class MessageSentDto extends ChatSentDto {
  @UuidField()
  id!: string;

  @UnixMillisecondsField()
  time!: number;
}
