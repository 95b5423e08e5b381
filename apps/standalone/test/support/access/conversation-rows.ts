import type { OperationRow } from './operation-row.js';

/** Operations on conversations and chat messages. */
export const CONVERSATION_ROWS: Readonly<Record<string, OperationRow>> = {
  sendMessage: {
    access: ['user', 'watch'],
    request: ({ conversationId }) => ({
      body: { kind: 'ChatTextMessage', clientMsgId: 'access-matrix', conversationId, text: 'Hello' },
    }),
    refuses: { conversationId: 'CONVERSATION_NOT_FOUND' },
    destroys: true,
  },
  listConversations: { access: ['user', 'watch'], request: () => ({}), refuses: {} },
  getHistory: {
    access: ['user', 'watch'],
    request: ({ conversationId }) => ({ query: { conversationId } }),
    refuses: { conversationId: 'CONVERSATION_NOT_FOUND' },
  },
  markRead: {
    access: ['user', 'watch'],
    request: ({ conversationId, chatMessageId }) => ({ body: { conversationId, messageId: chatMessageId } }),
    refuses: { conversationId: 'CONVERSATION_NOT_FOUND', chatMessageId: 'MESSAGE_NOT_FOUND' },
    destroys: true,
  },
  recallMessage: {
    access: ['user', 'watch'],
    request: ({ chatMessageId }) => ({ body: { messageId: chatMessageId } }),
    refuses: { chatMessageId: 'MESSAGE_NOT_FOUND' },
    // Only the owner, who sent the message, may recall it.
    guardian: 'MESSAGE_NOT_FOUND',
    watch: 'MESSAGE_NOT_FOUND',
    destroys: true,
  },
};
