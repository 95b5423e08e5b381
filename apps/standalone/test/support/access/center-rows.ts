import type { OperationRow } from './operation-row.js';

/** Valid keys of a fictitious browser subscription: a point on P-256 and 16 bytes. */
export const SUBSCRIPTION_KEYS = {
  p256dh: 'BB3eazGU6tkHZUGxWiu_AwaCZyfGPro5ocLuwVUS9z0EN7JAlsTxeGTSC3JT8ah0AC6MUzS37gckPHKkAfbIHXM',
  auth: 'AAECAwQFBgcICQoLDA0ODw',
};

/** Operations on the message centre, subscriptions and push tokens. */
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
  getSubscription: { access: ['user'], request: () => ({}), refuses: {} },
  updateSubscription: {
    access: ['user'],
    request: () => ({ body: { categories: [{ category: 'CALL', push: false }], quietHours: null } }),
    refuses: {},
    destroys: true,
  },
  createPushToken: {
    access: ['user'],
    request: () => ({ body: { service: 'WEB_PUSH', token: 'https://push.example/x', keys: SUBSCRIPTION_KEYS } }),
    refuses: {},
    destroys: true,
  },
  deletePushToken: {
    access: ['user'],
    request: ({ pushTokenId }) => ({ body: { tokenId: pushTokenId } }),
    refuses: { pushTokenId: 'PUSH_TOKEN_INVALID' },
    // The push token belongs to the owner.
    guardian: 'PUSH_TOKEN_INVALID',
    destroys: true,
  },
};
