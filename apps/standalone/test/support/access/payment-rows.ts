import { randomUUID } from 'node:crypto';
import type { OperationRow } from './operation-row.js';

/** Operations on products, orders and payments. */
export const PAYMENT_ROWS: Readonly<Record<string, OperationRow>> = {
  listProducts: { callerKinds: ['user', 'watch'], request: () => ({}), rejections: {}, contact: 'ok' },
  createOrder: {
    callerKinds: ['user', 'watch'],
    // The server ignores the family in the body of a watch: a watch creates orders only for its own child.
    request: ({ familyId, cid, cloudProductId }) => ({ body: { productId: cloudProductId, familyId, cid } }),
    rejections: {},
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  payOrder: {
    callerKinds: ['user'],
    request: ({ watchOrderId }) => ({ body: { orderId: watchOrderId } }),
    rejections: { watchOrderId: 'ORDER_NOT_FOUND' },
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  getOrder: {
    callerKinds: ['user', 'watch'],
    request: ({ watchOrderId }) => ({ query: { orderId: watchOrderId } }),
    rejections: { watchOrderId: 'ORDER_NOT_FOUND' },
    caregiver: 'PERMISSION_MISSING',
  },
  listOrders: {
    callerKinds: ['user'],
    request: ({ familyId }) => ({ query: { familyId } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND' },
    caregiver: 'PERMISSION_MISSING',
  },
  closeOrder: {
    callerKinds: ['user'],
    request: ({ orderId }) => ({ body: { orderId } }),
    rejections: { orderId: 'ORDER_NOT_FOUND' },
    needsSeparateFamily: true,
    caregiver: 'PERMISSION_MISSING',
  },
  refundOrder: {
    callerKinds: ['user'],
    request: ({ orderId }) => ({ body: { orderId } }),
    rejections: { orderId: 'ORDER_NOT_FOUND' },
    // The order was not paid.
    owner: 'ORDER_STATE',
    guardian: 'ORDER_STATE',
    caregiver: 'PERMISSION_MISSING',
  },
  listEntitlements: {
    callerKinds: ['user'],
    request: ({ familyId }) => ({ query: { familyId } }),
    rejections: { familyId: 'FAMILY_NOT_FOUND' },
    caregiver: 'PERMISSION_MISSING',
  },
  notifyPayment: {
    callerKinds: 'public',
    cases: [
      {
        title: 'a callback without a signature',
        request: ({ orderId }) => ({ path: { provider: 'sandbox' }, body: { orderId } }),
        outcome: 'CALLBACK_INVALID',
      },
      {
        title: 'a provider that is not configured',
        request: () => ({ path: { provider: 'stripe' }, body: {} }),
        outcome: 'ROUTE_NOT_FOUND',
      },
    ],
  },
  getSandboxPayment: {
    callerKinds: 'public',
    cases: [
      {
        title: 'a link with a guessed code',
        request: ({ orderId }) => ({ path: { token: `${orderId}.${'A'.repeat(22)}` } }),
        outcome: 'LINK_NOT_FOUND',
      },
      { title: 'a link without a code', request: () => ({ path: { token: randomUUID() } }), outcome: 'LINK_NOT_FOUND' },
    ],
  },
  submitSandboxPayment: {
    callerKinds: 'public',
    cases: [
      {
        title: 'a link with a guessed code',
        request: ({ orderId }) => ({ path: { token: `${orderId}.${'A'.repeat(22)}` }, body: { action: 'pay' } }),
        outcome: 'LINK_NOT_FOUND',
      },
    ],
  },
};
