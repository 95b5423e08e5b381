/**
 * DIRECT: one member and one child. FAMILY: the family group. FRIENDS: two children whose families agreed. A child
 * chats through its bound watch. The conversation continues when another watch is bound to the child.
 */
export const CONVERSATION_TYPE = { DIRECT: 'DIRECT', FAMILY: 'FAMILY', FRIENDS: 'FRIENDS' } as const;
export type ConversationType = (typeof CONVERSATION_TYPE)[keyof typeof CONVERSATION_TYPE];

/** `user:<userId>`, or `child:<cid>`, which the currently bound watch acts as. */
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

/** How long a message can be recalled, in milliseconds. */
export const RECALL_WINDOW_MS = 2 * 60_000;
