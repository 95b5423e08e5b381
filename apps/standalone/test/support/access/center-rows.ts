import type { OperationRow } from './operation-row.js';

/** Valid keys of a fictitious browser subscription: a point on the curve P-256, and 16 bytes. */
export const SUBSCRIPTION_KEYS = {
  p256dh: 'BB3eazGU6tkHZUGxWiu_AwaCZyfGPro5ocLuwVUS9z0EN7JAlsTxeGTSC3JT8ah0AC6MUzS37gckPHKkAfbIHXM',
  auth: 'AAECAwQFBgcICQoLDA0ODw',
};

/** Operations on the message centre, subscriptions and push tokens. */
export const CENTER_ROWS: Readonly<Record<string, OperationRow>> = {
  listCenterMessages: {
    callerKinds: ['user'],
    request: () => ({ query: { category: 'WATCH' } }),
    rejections: {},
    contact: 'ok',
  },
  readCenterMessages: {
    callerKinds: ['user'],
    request: ({ centerMessageId }) => ({ body: { messageIds: [centerMessageId] } }),
    rejections: { centerMessageId: 'MESSAGE_NOT_FOUND' },
    // The message is older than the caregiver's membership.
    caregiver: 'MESSAGE_NOT_FOUND',
    needsSeparateFamily: true,
  },
  deleteCenterMessages: {
    callerKinds: ['user'],
    request: ({ centerMessageId }) => ({ body: { messageIds: [centerMessageId] } }),
    rejections: { centerMessageId: 'MESSAGE_NOT_FOUND' },
    // The message is older than the caregiver's membership.
    caregiver: 'MESSAGE_NOT_FOUND',
    needsSeparateFamily: true,
  },
  getSubscription: { callerKinds: ['user'], request: () => ({}), rejections: {}, contact: 'ok' },
  updateSubscription: {
    callerKinds: ['user'],
    request: () => ({ body: { categories: [{ category: 'CALL', push: false }], quietHours: null } }),
    rejections: {},
    needsSeparateFamily: true,
    contact: 'ok',
  },
  createPushToken: {
    callerKinds: ['user'],
    request: () => ({ body: { service: 'WEB_PUSH', token: 'https://push.example/x', keys: SUBSCRIPTION_KEYS } }),
    rejections: {},
    needsSeparateFamily: true,
    contact: 'ok',
  },
  deletePushToken: {
    callerKinds: ['user'],
    request: ({ pushTokenId }) => ({ body: { tokenId: pushTokenId } }),
    rejections: { pushTokenId: 'PUSH_TOKEN_INVALID' },
    // The push token belongs to the owner.
    guardian: 'PUSH_TOKEN_INVALID',
    needsSeparateFamily: true,
  },
};
