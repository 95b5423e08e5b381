import {
  IntegerField,
  EnumField,
  ReferenceField,
  StringField,
  UuidField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import {
  EMOJI,
  MAX_CHAT_TEXT_LENGTH,
  MAX_VIDEO_DURATION_MS,
  MAX_VOICE_DURATION_MS,
  CHAT_KIND,
  type ChatEmojiPayload,
  type ChatImagePayload,
  type ChatSendResult,
  type ChatTextPayload,
  type ChatVideoPayload,
  type ChatVoicePayload,
  type EmojiCode,
  type WithConversationSeq,
  type ChatKind,
} from '../contracts/chat.js';

const MAX_EDGE_PIXELS = 65_535;
const CLIENT_MSG_ID_DESCRIPTION =
  "Unique among the sender's messages. A message that is repeated with the same id is stored once; another message " +
  'with the same id is rejected with `CLIENT_MSG_ID_REUSED`.';

const QUOTE_DESCRIPTION =
  'Id of the message of the conversation that this message answers. Apps show the answered message above this one, and ' +
  'nothing if the conversation does not contain it.';

class ChatMessageDto {
  @StringField({
    minLength: 1,
    maxLength: 64,
    description: CLIENT_MSG_ID_DESCRIPTION,
    example: 'c5b0f1e2-1',
  })
  clientMsgId: string;

  @ReferenceField()
  conversationId: string;

  @ReferenceField({ optional: true, description: QUOTE_DESCRIPTION })
  quoteOf?: string;
}

/** ChatTextMessage. */
export class ChatTextDto extends ChatMessageDto implements ChatTextPayload {
  @StringField({ minLength: 1, maxLength: MAX_CHAT_TEXT_LENGTH })
  text: string;
}

/** ChatVoiceMessage. */
export class ChatVoiceDto extends ChatMessageDto implements ChatVoicePayload {
  @ReferenceField({ description: 'File in the family cloud' })
  contentID: string;

  @IntegerField({ min: 1, max: MAX_VOICE_DURATION_MS, description: 'Milliseconds' })
  duration: number;
}

/** ChatImageMessage. */
export class ChatImageDto extends ChatMessageDto implements ChatImagePayload {
  @ReferenceField({ description: 'File in the family cloud' })
  contentID: string;

  @IntegerField({ min: 1, max: MAX_EDGE_PIXELS, description: 'Pixels' })
  width: number;

  @IntegerField({ min: 1, max: MAX_EDGE_PIXELS, description: 'Pixels' })
  height: number;

  @ReferenceField({ optional: true, description: 'File in the family cloud: thumbnail' })
  thumbnail?: string;
}

/** ChatVideoMessage. */
export class ChatVideoDto extends ChatImageDto implements ChatVideoPayload {
  @IntegerField({ min: 1, max: MAX_VIDEO_DURATION_MS, description: 'Milliseconds' })
  duration: number;
}

/** ChatEmojiMessage. */
export class ChatEmojiDto extends ChatMessageDto implements ChatEmojiPayload {
  @EnumField(EMOJI)
  emoji: EmojiCode;
}

const CONVERSATION_SEQ_OPTIONS = {
  min: 1,
  description: 'Sequence number in the conversation; all members see the messages in this order',
};

/** Response to a chat message. */
export class ChatSentDto implements Omit<ChatSendResult, 'id'> {
  @IntegerField(CONVERSATION_SEQ_OPTIONS)
  conversationSeq: number;

  @UnixMillisecondsField({ description: 'Time of the message, also in the response to a repeated message' })
  time: number;
}

/** ChatTextMessage to a member of the conversation. */
export class ChatTextDeliveryDto extends ChatTextDto implements WithConversationSeq<ChatTextPayload> {
  @IntegerField(CONVERSATION_SEQ_OPTIONS)
  conversationSeq: number;
}

/** ChatVoiceMessage to a member of the conversation. */
export class ChatVoiceDeliveryDto extends ChatVoiceDto implements WithConversationSeq<ChatVoicePayload> {
  @IntegerField(CONVERSATION_SEQ_OPTIONS)
  conversationSeq: number;
}

/** ChatImageMessage to a member of the conversation. */
export class ChatImageDeliveryDto extends ChatImageDto implements WithConversationSeq<ChatImagePayload> {
  @IntegerField(CONVERSATION_SEQ_OPTIONS)
  conversationSeq: number;
}

/** ChatVideoMessage to a member of the conversation. */
export class ChatVideoDeliveryDto extends ChatVideoDto implements WithConversationSeq<ChatVideoPayload> {
  @IntegerField(CONVERSATION_SEQ_OPTIONS)
  conversationSeq: number;
}

/** ChatEmojiMessage to a member of the conversation. */
export class ChatEmojiDeliveryDto extends ChatEmojiDto implements WithConversationSeq<ChatEmojiPayload> {
  @IntegerField(CONVERSATION_SEQ_OPTIONS)
  conversationSeq: number;
}

/** A chat message sent over REST, with the fields and rules of the socket event that `kind` names. */
export class SendMessageDto {
  @EnumField(CHAT_KIND)
  kind!: ChatKind;

  @StringField({
    minLength: 1,
    maxLength: 64,
    description: CLIENT_MSG_ID_DESCRIPTION,
    example: 'c5b0f1e2-1',
  })
  clientMsgId!: string;

  @ReferenceField()
  conversationId!: string;

  @ReferenceField({ optional: true, description: QUOTE_DESCRIPTION })
  quoteOf?: string;

  @StringField({ optional: true, minLength: 1, description: 'For ChatTextMessage', example: 'Are you home?' })
  text?: string;

  @EnumField(EMOJI, { optional: true, description: 'For ChatEmojiMessage' })
  emoji?: EmojiCode;

  @ReferenceField({ optional: true, description: 'File in the family cloud; for voice, image and video' })
  contentID?: string;

  @IntegerField({ optional: true, min: 1, description: 'Milliseconds; for voice and video' })
  duration?: number;

  @IntegerField({ optional: true, min: 1, description: 'Pixels; for image and video' })
  width?: number;

  @IntegerField({ optional: true, min: 1, description: 'Pixels; for image and video' })
  height?: number;

  @ReferenceField({ optional: true, description: 'File in the family cloud: thumbnail of an image or video' })
  thumbnail?: string;
}

/** Response to a chat message that was sent over REST. */
export class MessageSentDto extends ChatSentDto implements ChatSendResult {
  @UuidField()
  id!: string;
}
