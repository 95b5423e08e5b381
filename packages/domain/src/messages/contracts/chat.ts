/** Chat as it travels: messages of conversations, in both directions. */

/** Longest text of a message, in UTF-16 units. */
export const MAX_CHAT_TEXT_LENGTH = 2_000;
/** Longest voice message. Milliseconds. */
export const MAX_VOICE_DURATION_MS = 60_000;
/** Longest video message. Milliseconds. */
export const MAX_VIDEO_DURATION_MS = 5 * 60_000;

/** How long what was said is kept, and how long voice. Milliseconds (90 and 30 days). */
export const CHAT_RETENTION_MS = 90 * 24 * 60 * 60_000;
export const VOICE_RETENTION_MS = 30 * 24 * 60 * 60_000;

/** What every chat message has. */
export interface ChatMessagePayload {
  /** Chosen by the sender, unique among the sender's messages: the same one is stored and delivered once. */
  clientMsgId: string;
  conversationId: string;
}

export interface ChatTextPayload extends ChatMessagePayload {
  text: string;
}

/** `contentID`: a content of the family cloud. */
export interface ChatVoicePayload extends ChatMessagePayload {
  contentID: string;
  /** Milliseconds. */
  duration: number;
}

/** Width and height in pixels; `thumbnail` is the `contentID` of a small image of it. */
export interface ChatImagePayload extends ChatMessagePayload {
  contentID: string;
  width: number;
  height: number;
  thumbnail?: string;
}

export interface ChatVideoPayload extends ChatImagePayload {
  /** Milliseconds. */
  duration: number;
}

export interface ChatEmojiPayload extends ChatMessagePayload {
  emoji: EmojiCode;
}

/** The published set: watches draw these themselves, so any other would be a blank. */
export const EMOJI = {
  SMILE: 'SMILE',
  LAUGH: 'LAUGH',
  WINK: 'WINK',
  LOVE: 'LOVE',
  KISS: 'KISS',
  COOL: 'COOL',
  SURPRISED: 'SURPRISED',
  SAD: 'SAD',
  CRY: 'CRY',
  ANGRY: 'ANGRY',
  SLEEPY: 'SLEEPY',
  SICK: 'SICK',
  THUMBS_UP: 'THUMBS_UP',
  THUMBS_DOWN: 'THUMBS_DOWN',
  CLAP: 'CLAP',
  HUG: 'HUG',
  HEART: 'HEART',
  FLOWER: 'FLOWER',
  CAKE: 'CAKE',
  STAR: 'STAR',
  SUN: 'SUN',
  MOON: 'MOON',
  BALL: 'BALL',
  SCHOOL: 'SCHOOL',
  HOME: 'HOME',
} as const;
export type EmojiCode = (typeof EMOJI)[keyof typeof EMOJI];

/** A chat message as its receivers get it: what was sent, and its number in the conversation. */
export type WithConversationSeq<Payload extends ChatMessagePayload> = Payload & {
  /** Strictly rising in the order that all members of the conversation see. */
  conversationSeq: number;
};

/** The chat kinds and what is sent under each. */
export interface ChatPayloads {
  ChatTextMessage: ChatTextPayload;
  ChatVoiceMessage: ChatVoicePayload;
  ChatVideoMessage: ChatVideoPayload;
  ChatImageMessage: ChatImagePayload;
  ChatEmojiMessage: ChatEmojiPayload;
}
export const CHAT_KIND = {
  ChatTextMessage: 'ChatTextMessage',
  ChatVoiceMessage: 'ChatVoiceMessage',
  ChatVideoMessage: 'ChatVideoMessage',
  ChatImageMessage: 'ChatImageMessage',
  ChatEmojiMessage: 'ChatEmojiMessage',
} as const satisfies { [Kind in keyof ChatPayloads]: Kind };
export type ChatKind = keyof ChatPayloads;

/** Answer to a chat message: its id, and its number in the conversation. */
export interface ChatSendResult {
  id: string;
  conversationSeq: number;
}
