/**
 * Number of newest messages among which unread messages are counted, so that the cost does not grow with the number of
 * unread messages. Apps show 100 as "99+".
 */
export const UNREAD_WINDOW_MESSAGES = 100;
/** Maximum length of a text message, in Unicode characters. */
export const MAX_CHAT_TEXT_LENGTH = 2_000;
/** Maximum duration of a voice message, in milliseconds. */
export const MAX_VOICE_DURATION_MS = 60_000;
/** Maximum duration of a video message, in milliseconds. */
export const MAX_VIDEO_DURATION_MS = 5 * 60_000;

/** Fields of every chat message. */
export interface ChatMessagePayload {
  /**
   * Id that the sender chooses, unique among the sender's messages. If the sender repeats a message with the same id,
   * the message is stored and delivered once. Another message with the same id is rejected (CLIENT_MSG_ID_REUSED).
   */
  clientMsgId: string;
  conversationId: string;
  /** Id of the message that this one answers. Apps show it if the conversation contains it. */
  quoteOf?: string;
}

export interface ChatTextPayload extends ChatMessagePayload {
  text: string;
}

/** Payload of a voice message. `contentID`: the audio file in the family cloud. */
export interface ChatVoicePayload extends ChatMessagePayload {
  contentID: string;
  /** Milliseconds. */
  duration: number;
}

/** Payload of an image. `width`, `height`: pixels. `thumbnail`: `contentID` of a smaller copy. */
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

/** Emoji that a chat message can contain. Watches can show no other emoji. */
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

/** Payload of a chat message as its recipients receive it. */
export type WithConversationSeq<Payload extends ChatMessagePayload> = Payload & {
  /**
   * Sequence number in the conversation, strictly increasing. All members see the messages in the order of this number.
   */
  conversationSeq: number;
};

/** Chat message kinds and their payloads. */
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

/** Response to a chat message: the id of the stored message, its sequence number in the conversation and its time. */
export interface ChatSendResult {
  id: string;
  conversationSeq: number;
  /** Unix milliseconds. Recipients and the history get the same time. */
  time: number;
}

/**
 * DIRECT: one member and one child. FAMILY: the family group. FRIENDS: two children whose families agreed. A child
 * chats through its bound watch. The conversation continues when another watch is bound to the child.
 */
export const CONVERSATION_TYPE = { DIRECT: 'DIRECT', FAMILY: 'FAMILY', FRIENDS: 'FRIENDS' } as const;
export type ConversationType = (typeof CONVERSATION_TYPE)[keyof typeof CONVERSATION_TYPE];

/** Member of a conversation: `user:<userId>`, or `child:<cid>`. The currently bound watch acts for the child. */
export type MemberKey = `user:${string}` | `child:${string}`;

export const CONVERSATION_CHANGE = {
  CREATED: 'CREATED',
  MEMBERS_CHANGED: 'MEMBERS_CHANGED',
  CLOSED: 'CLOSED',
  MESSAGE_RECALLED: 'MESSAGE_RECALLED',
} as const;
export type ConversationChange = (typeof CONVERSATION_CHANGE)[keyof typeof CONVERSATION_CHANGE];

/** Payload of ConversationChangeNoticeMessage. */
export interface ConversationChangePayload {
  conversationId: string;
  change: ConversationChange;
  /** The recalled message. */
  messageId?: string;
}

/** How long its sender can recall a chat message, in milliseconds (two minutes). */
export const RECALL_WINDOW_MS = 2 * 60_000;
