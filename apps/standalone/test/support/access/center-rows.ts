import type { OperationRow } from './operation-row.js';

/** The message centre and what reaches a phone that is not connected. */
export const CENTER_ROWS: Readonly<Record<string, OperationRow>> = {
  listCenterMessages: { access: ['user'], request: () => ({ query: { category: 'WATCH' } }), refuses: {} },
  readCenterMessages: {
    access: ['user'],
    request: ({ centerMessageId }) => ({ body: { messageIds: [centerMessageId] } }),
    refuses: { centerMessageId: 'MESSAGE_NOT_FOUND' },
    destroys: true,
  },
  deleteCenterMessages: {
    access: ['user'],
    request: ({ centerMessageId }) => ({ body: { messageIds: [centerMessageId] } }),
    refuses: { centerMessageId: 'MESSAGE_NOT_FOUND' },
    destroys: true,
  },
};
