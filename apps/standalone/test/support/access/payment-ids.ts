import { randomUUID } from 'node:crypto';
import { expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';
import { CLOUD_PRODUCT, PLAN_PRODUCT, setTestProducts } from '../products.js';
import type { TestService } from '../test-service.js';

/** Ids of products and of orders that were not paid. */
export interface PaymentIds {
  cloudProductId: string;
  planProductId: string;
  /** Id of an order of the family. */
  orderId: string;
  /** Id of an order that the watch created. */
  watchOrderId: string;
}

export async function paymentIdsOf(
  service: TestService,
  { owner, watch, familyId }: FamilyFixture,
): Promise<PaymentIds> {
  await setTestProducts(service);
  const [order, watchOrder] = await Promise.all([
    expectOk(owner.post<{ orderId: string }>('/apis/v2/payment/order/create', { productId: CLOUD_PRODUCT, familyId })),
    expectOk(watch.post<{ orderId: string }>('/apis/v2/payment/order/create', { productId: PLAN_PRODUCT })),
  ]);
  return {
    cloudProductId: CLOUD_PRODUCT,
    planProductId: PLAN_PRODUCT,
    orderId: order.orderId,
    watchOrderId: watchOrder.orderId,
  };
}

/** Returns well-formed ids of orders that do not exist. The products are those of every family. */
export function unknownPaymentIds(): PaymentIds {
  return {
    cloudProductId: CLOUD_PRODUCT,
    planProductId: PLAN_PRODUCT,
    orderId: randomUUID(),
    watchOrderId: randomUUID(),
  };
}
