import type { Schema } from '@family-watch/client';
import type { OperatorSession } from '../session/operator-session.js';
import { pagedQuery } from '../../core/paged-query.js';
import { filtersOf } from '../shared/filters.js';

export type Product = Schema<'OperatorProductDto'>;
export type Order = Schema<'OrderDto'>;
export type OrderState = Order['state'];

export const ORDER_STATES: readonly OrderState[] = [
  'CREATED',
  'PENDING',
  'PAID',
  'FULFILLED',
  'FAILED',
  'CLOSED',
  'REFUNDING',
  'REFUNDED',
];

export function productsQuery({ client }: OperatorSession) {
  return pagedQuery(['products'], (page, options) => client.listProducts(page, options));
}

export function ordersQuery({ client }: OperatorSession, filter: { state: '' | OrderState; familyId: string }) {
  return pagedQuery(['orders', filter], (page, options) =>
    client.listAllOrders({ ...filtersOf(filter), ...page }, options),
  );
}
