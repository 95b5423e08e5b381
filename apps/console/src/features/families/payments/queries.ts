import type { Schema } from '@family-watch/client';
import { queryOptions } from '@tanstack/react-query';
import { pagedQuery } from '../../../core/paged-query.js';
import type { Session } from '../../../core/session/session-store.js';

export type Product = Schema<'ProductDto'>;
export type Order = Schema<'OrderDto'>;
export type Entitlement = Schema<'EntitlementDto'>;
export type Provider = Schema<'CheckoutDto'>['provider'];

const PAYMENT_REFRESH_MS = 3_000;

export function productsQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['payments', 'products'],
    queryFn: ({ signal }) => client.payments.listProducts(undefined, { signal }),
  });
}

export function entitlementsQuery({ client }: Session, familyId: string) {
  return queryOptions({
    queryKey: ['payments', 'entitlements', familyId],
    queryFn: ({ signal }) => client.payments.listEntitlements({ familyId }, { signal }),
  });
}

/** The orders of a family, newest first, page by page. */
export function ordersQuery({ client }: Session, familyId: string) {
  return pagedQuery(['payments', 'orders', familyId], (page, options) =>
    client.payments.listOrders({ familyId, ...page }, options),
  );
}

/** The newest orders of a family, among which are those that wait for a payment: they are closed after a day. */
export function newestOrdersQuery({ client }: Session, familyId: string) {
  return queryOptions({
    queryKey: ['payments', 'newest-orders', familyId],
    queryFn: ({ signal }) => client.payments.listOrders({ familyId }, { signal }),
  });
}

/** An order while a person pays it on the provider's page; polled, because the payer may have no message centre entry. */
export function paidOrderQuery({ client }: Session, orderId: string) {
  return queryOptions({
    queryKey: ['payments', 'order', orderId],
    queryFn: ({ signal }) => client.payments.getOrder({ orderId }, { signal }),
    refetchInterval: ({ state }) => (state.data && !isInProgress(state.data) ? false : PAYMENT_REFRESH_MS),
  });
}

export function isPayable({ state }: Order): boolean {
  return state === 'CREATED' || state === 'PENDING';
}

/** Whether the state of the order changes without an action of the person on this page. */
function isInProgress(order: Order): boolean {
  return isPayable(order) || order.state === 'PAID';
}
