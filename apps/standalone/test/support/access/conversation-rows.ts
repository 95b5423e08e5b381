import type { OperationRow } from './operation-row.js';

/** Operations on conversations and chat messages. */
export const CONVERSATION_ROWS: Readonly<Record<string, OperationRow>> = {
  sendMessage: {
    callerKinds: ['user', 'watch'],
    request: ({ conversationId }) => ({
      body: { kind: 'ChatTextMessage', clientMsgId: 'access-matrix', conversationId, text: 'Hello' },
    }),
    rejections: { conversationId: 'CONVERSATION_NOT_FOUND' },
    needsSeparateFamily: true,
  },
  listConversations: { callerKinds: ['user', 'watch'], request: () => ({}), rejections: {}, contact: 'ok' },
  getHistory: {
    callerKinds: ['user', 'watch'],
    request: ({ conversationId }) => ({ query: { conversationId } }),
    rejections: { conversationId: 'CONVERSATION_NOT_FOUND' },
  },
  searchHistory: {
    callerKinds: ['user', 'watch'],
    request: ({ conversationId }) => ({ query: { conversationId, text: 'hello' } }),
    rejections: { conversationId: 'CONVERSATION_NOT_FOUND' },
  },
  markRead: {
    callerKinds: ['user', 'watch'],
    request: ({ conversationId, chatMessageId }) => ({ body: { conversationId, messageId: chatMessageId } }),
    rejections: { conversationId: 'CONVERSATION_NOT_FOUND', chatMessageId: 'MESSAGE_NOT_FOUND' },
    needsSeparateFamily: true,
  },
  recallMessage: {
    callerKinds: ['user', 'watch'],
    request: ({ chatMessageId }) => ({ body: { messageId: chatMessageId } }),
    rejections: { chatMessageId: 'MESSAGE_NOT_FOUND' },
    // Only the owner, who sent the message, may recall it.
    guardian: 'MESSAGE_NOT_FOUND',
    watch: 'MESSAGE_NOT_FOUND',
    needsSeparateFamily: true,
  },
};
