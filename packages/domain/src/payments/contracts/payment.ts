import type { PrincipalKey } from '../../kernel/contracts/principal.js';

/** CLOUD_SPACE enlarges the family's cloud. WATCH_PLAN is a plan for the watch of one child. */
export const PRODUCT_KIND = { CLOUD_SPACE: 'CLOUD_SPACE', WATCH_PLAN: 'WATCH_PLAN' } as const;
export type ProductKind = (typeof PRODUCT_KIND)[keyof typeof PRODUCT_KIND];

export const PAYMENT_PROVIDER = {
  SANDBOX: 'sandbox',
  WECHATPAY: 'wechatpay',
  ALIPAY: 'alipay',
  STRIPE: 'stripe',
} as const;
export type PaymentProviderName = (typeof PAYMENT_PROVIDER)[keyof typeof PAYMENT_PROVIDER];

/**
 * States of an order. CREATED: a member or a watch has created the order. PENDING: the provider expects the payment.
 * PAID: the provider has confirmed the payment. FULFILLED: the family has the entitlement. FAILED: the provider rejected
 * the payment. CLOSED: the order was cancelled or not paid in time. REFUNDED is final, as are FAILED and CLOSED, unless
 * a late payment arrives, which is refunded.
 */
export const ORDER_STATE = {
  CREATED: 'CREATED',
  PENDING: 'PENDING',
  PAID: 'PAID',
  FULFILLED: 'FULFILLED',
  FAILED: 'FAILED',
  CLOSED: 'CLOSED',
  REFUNDING: 'REFUNDING',
  REFUNDED: 'REFUNDED',
} as const;
export type OrderState = (typeof ORDER_STATE)[keyof typeof ORDER_STATE];

export const ORDER_LIMITS = {
  /** Maximum number of orders that a family creates in 24 hours. */
  perFamilyAndDay: 50,
  /** Maximum number of orders that a watch creates in 24 hours. */
  perWatchAndDay: 5,
} as const;

/** Time after its creation in which the payment of an order must begin, in milliseconds (24 hours). */
export const ORDER_TTL_MS = 24 * 3_600_000;

/** Time for which the provider accepts a payment that has begun, in milliseconds (1 hour). */
export const PAYMENT_TTL_MS = 3_600_000;

/** Time after the payment in which members can request a refund, in milliseconds (14 days). */
export const REFUND_WINDOW_MS = 14 * 24 * 3_600_000;

/** Id of a product, which the operator chooses. */
export const PRODUCT_ID_PATTERN = /^[\w.-]{1,64}$/;

export const PRODUCT_LIMITS = {
  titleLength: 64,
  /** Largest price in the minor unit of the currency. */
  amount: 100_000_000,
  /** Largest cloud space of a product, in bytes (10 TiB). */
  cloudBytes: 10 * 1024 ** 4,
  /** Longest period of a product, in days (10 years). */
  periodDays: 3_653,
} as const;

/** Maximum number of products on sale. */
export const MAX_PRODUCTS = 100;

/** Maximum number of current and future entitlements that are returned for a family. */
export const MAX_ENTITLEMENTS_RETURNED = 200;

/** Key: `familyId`. Times: Unix milliseconds. */
export interface PaymentEvents {
  /**
   * An order was created or has changed its state. `cid`: the child whom the order is for or whose watch created the
   * order, or null. `by`: the principal that created the order; null after the account was erased.
   */
  'userctx.order.changed': {
    familyId: string;
    cid: string | null;
    orderId: string;
    state: OrderState;
    by: PrincipalKey | null;
    time: number;
  };
  /**
   * The paid entitlements of the family began, ended or changed. The payload is the current state at one version, so
   * that a consumer which stores the highest version may receive the events in any order.
   */
  'userctx.entitlement.changed': {
    familyId: string;
    version: number;
    /** Paid size of the family's cloud, in bytes, in addition to the size that every cloud has. */
    cloudBytes: number;
    /** Children whose watch has a plan now. */
    watchPlanCids: string[];
    time: number;
  };
}
