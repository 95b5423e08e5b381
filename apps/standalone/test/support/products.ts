import type { TestService } from './test-service.js';

export const CLOUD_PRODUCT = 'test-cloud-100gib';
export const PLAN_PRODUCT = 'test-watch-plan';
/** Price of both products in the minor unit. */
export const PRICE = 990;
export const CLOUD_BYTES = 100 * 1024 ** 3;

/** Puts cloud space and a watch plan on sale. Concurrent suites set the same products. */
export async function setTestProducts(service: TestService): Promise<void> {
  await service.query(
    `INSERT INTO userctx.payment_product
       (product_id, kind, title, amount, currency, cloud_bytes, period_days, changed_at)
     VALUES ($1, 'CLOUD_SPACE', '100 GB for a month', $3, 'CNY', $4, 30, 0),
            ($2, 'WATCH_PLAN', 'Watch plan for a month', $3, 'CNY', NULL, 30, 0)
     ON CONFLICT DO NOTHING`,
    [CLOUD_PRODUCT, PLAN_PRODUCT, PRICE, CLOUD_BYTES],
  );
}
