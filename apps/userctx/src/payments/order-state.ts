import { ORDER_STATE, type OrderState } from '@family-watch/domain/payments/contracts/payment';

const { CREATED, PENDING, PAID, FULFILLED, FAILED, CLOSED, REFUNDING, REFUNDED } = ORDER_STATE;

/**
 * `START`: the provider expects the payment. `PAY`: the provider confirmed the payment, possibly before the service has
 * stored that the payment began. `FULFIL`: the family received the entitlement. `FAIL`: the provider rejected the
 * payment. `CLOSE`: a member cancelled the order, or it was not paid in time. `REFUND`: a member returns a paid order,
 * or its beneficiary no longer exists. `RETURN`: a payment arrived after the order had ended. `COMPLETE_REFUND`: the
 * provider accepted the refund.
 */
export type OrderTransition = 'START' | 'PAY' | 'FULFIL' | 'FAIL' | 'CLOSE' | 'REFUND' | 'RETURN' | 'COMPLETE_REFUND';

/**
 * Source states and target state of each transition. A transition has no effect in a state that is not one of its
 * source states.
 */
export const ORDER_TRANSITIONS: Readonly<Record<OrderTransition, { from: readonly OrderState[]; to: OrderState }>> = {
  START: { from: [CREATED], to: PENDING },
  PAY: { from: [CREATED, PENDING], to: PAID },
  FULFIL: { from: [PAID], to: FULFILLED },
  FAIL: { from: [CREATED, PENDING], to: FAILED },
  CLOSE: { from: [CREATED, PENDING], to: CLOSED },
  REFUND: { from: [PAID, FULFILLED], to: REFUNDING },
  RETURN: { from: [FAILED, CLOSED], to: REFUNDING },
  COMPLETE_REFUND: { from: [REFUNDING], to: REFUNDED },
};

const FIRST_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 3_600_000;

/** Returns the pause after the given number of questions to the provider: 10 s, 20 s, 40 s and so on, at most 1 h. */
export function pauseMs(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, attempts - 1), MAX_PAUSE_MS);
}
