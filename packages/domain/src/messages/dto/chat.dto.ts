import { Integer, OneOf, Reference, Text } from '../../kernel/dto/fields.js';
import { EMOJI, MAX_CHAT_TEXT, MAX_VIDEO_DURATION, MAX_VOICE_DURATION } from '../contracts/chat.js';
import type {
  ChatEmojiPayload,
  ChatImagePayload,
  ChatSent,
  ChatTextPayload,
  ChatVideoPayload,
  ChatVoicePayload,
  EmojiCode,
  Numbered,
} from '../contracts/chat.js';

const MAX_PIXELS = 65_535;

class ChatMessageDto {
  @Text({ minLength: 1, maxLength: 64, description: "Unique among the sender's messages; the same one is stored once" })
  clientMsgId: string;

  @Reference()
  conversationId: string;
}

/** ChatTextMessage. */
export class ChatTextDto extends ChatMessageDto implements ChatTextPayload {
  @Text({ minLength: 1, maxLength: MAX_CHAT_TEXT })
  text: string;
}

/** ChatVoiceMessage. */
export class ChatVoiceDto extends ChatMessageDto implements ChatVoicePayload {
  @Reference({ description: 'Content of the family cloud' })
  contentID: string;

  @Integer({ min: 1, max: MAX_VOICE_DURATION, description: 'Milliseconds' })
  duration: number;
}

/** ChatImageMessage. */
export class ChatImageDto extends ChatMessageDto implements ChatImagePayload {
  @Reference({ description: 'Content of the family cloud' })
  contentID: string;

  @Integer({ min: 1, max: MAX_PIXELS, description: 'Pixels' })
  width: number;

  @Integer({ min: 1, max: MAX_PIXELS, description: 'Pixels' })
  height: number;

  @Reference({ optional: true, description: 'Content of the family cloud: a small image of it' })
  thumbnail?: string;
}

/** ChatVideoMessage. */
export class ChatVideoDto extends ChatImageDto implements ChatVideoPayload {
  @Integer({ min: 1, max: MAX_VIDEO_DURATION, description: 'Milliseconds' })
  duration: number;
}

/** ChatEmojiMessage. */
export class ChatEmojiDto extends ChatMessageDto implements ChatEmojiPayload {
  @OneOf(EMOJI)
  emoji: EmojiCode;
}

const IN_CONVERSATION = { min: 1, description: 'Number in the conversation, rising in the order all members see' };

/** The answer to a chat message. */
export class ChatSentDto implements Omit<ChatSent, 'id'> {
  @Integer(IN_CONVERSATION)
  conversationSeq: number;
}

/** ChatTextMessage to a member of the conversation. */
export class ChatTextDeliveryDto extends ChatTextDto implements Numbered<ChatTextPayload> {
  @Integer(IN_CONVERSATION)
  conversationSeq: number;
}

/** ChatVoiceMessage to a member of the conversation. */
export class ChatVoiceDeliveryDto extends ChatVoiceDto implements Numbered<ChatVoicePayload> {
  @Integer(IN_CONVERSATION)
  conversationSeq: number;
}

/** ChatImageMessage to a member of the conversation. */
export class ChatImageDeliveryDto extends ChatImageDto implements Numbered<ChatImagePayload> {
  @Integer(IN_CONVERSATION)
  conversationSeq: number;
}

/** ChatVideoMessage to a member of the conversation. */
export class ChatVideoDeliveryDto extends ChatVideoDto implements Numbered<ChatVideoPayload> {
  @Integer(IN_CONVERSATION)
  conversationSeq: number;
}

/** ChatEmojiMessage to a member of the conversation. */
export class ChatEmojiDeliveryDto extends ChatEmojiDto implements Numbered<ChatEmojiPayload> {
  @Integer(IN_CONVERSATION)
  conversationSeq: number;
}
