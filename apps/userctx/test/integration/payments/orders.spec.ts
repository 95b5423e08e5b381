import { createHmac, randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { OrderDto } from '@family-watch/domain/payments/dto/payment.dto';
import { EntitlementsService } from '../../../src/payments/entitlements.service.js';
import { OrdersService } from '../../../src/payments/orders.service.js';
import { OrderSettlementService, RECONCILIATION_JOB } from '../../../src/payments/order-settlement.service.js';
import { PaymentProviders } from '../../../src/payments/providers/payment-providers.js';
import {
  SANDBOX_SIGNATURE_HEADER,
  sandboxCallbackKey,
  type SandboxProvider,
} from '../../../src/payments/providers/sandbox.provider.js';
import { createBoundFamily, outcomeOf, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const DAY = 24 * 3_600_000;
const HOUR = 3_600_000;

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let orders: OrdersService;
let settlement: OrderSettlementService;
let entitlements: EntitlementsService;
let sandbox: SandboxProvider;
let family: BoundFamilyFixture;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The relay and the jobs are disabled: the test delivers events and moves the clock of the jobs.
  const disabledJobs = [RECONCILIATION_JOB, 'userctx.payments.change-entitlements'];
  replica = await environment.replica({}, { isRelayDisabled: true, disabledJobs });
  orders = replica.get(OrdersService);
  settlement = replica.get(OrderSettlementService);
  entitlements = replica.get(EntitlementsService);
  sandbox = replica.get(PaymentProviders).find('sandbox') as SandboxProvider;
  await environment.query(
    `INSERT INTO userctx.payment_product
       (product_id, kind, title, amount, currency, cloud_bytes, period_days, changed_at)
     VALUES ('cloud', 'CLOUD_SPACE', 'Cloud', 990, 'CNY', 1000, 30, 0),
            ('more', 'CLOUD_SPACE', 'More cloud', 1990, 'CNY', 5000, 365, 0),
            ('week', 'CLOUD_SPACE', 'A week', 190, 'CNY', 1000, 7, 0),
            ('plan', 'WATCH_PLAN', 'Plan', 500, 'CNY', NULL, 30, 0)`,
  );
});
beforeEach(async () => {
  family = await createBoundFamily(environment, replica);
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => environment.close());

const createOrder = (productId: string) =>
  orders.create(family.owner, { productId, familyId: family.familyId, cid: family.cid });

async function startOrder(productId: string): Promise<OrderDto> {
  const order = await createOrder(productId);
  await orders.pay(family.owner, { orderId: order.orderId }, 'https://family.example');
  return order;
}

const getOrder = ({ orderId }: OrderDto) => orders.get(family.owner, orderId);

/** Processes a callback of the sandbox that reports this outcome. */
async function notify({ orderId, amount, currency }: OrderDto, outcome: string): Promise<void> {
  const body = Buffer.from(JSON.stringify({ callbackId: randomUUID(), orderId, outcome, amount, currency }));
  const key = sandboxCallbackKey(environment.environment.SECRET_KEY ?? '');
  const signature = createHmac('sha256', key).update(body).digest('hex');
  await settlement.receiveCallback('sandbox', { headers: { [SANDBOX_SIGNATURE_HEADER]: signature }, body });
}

async function fulfil({ orderId, familyId }: OrderDto): Promise<void> {
  const events = await environment.events('userctx.order.changed', familyId);
  for (const payload of events.filter((event) => event.orderId === orderId)) {
    await environment.deliver(replica, 'userctx.payments.fulfil', { name: 'userctx.order.changed', payload });
  }
}

async function buy(productId: string): Promise<OrderDto> {
  const order = await startOrder(productId);
  await notify(order, 'PAID');
  await fulfil(order);
  return order;
}

/** Delivers the erasure of the owner and of these families. */
function eraseAccount(familyIds: string[]): Promise<void> {
  const subjects = { userId: family.owner.id, familyIds, cids: [], dids: [] };
  const payload = { ...subjects, receiptId: randomUUID(), time: Date.now() };
  return environment.deliver(replica, 'userctx.payments.erase-account', { name: 'userctx.account.erased', payload });
}

async function published(): Promise<{ version: number; cloudBytes: number; watchPlanCids: string[] }[]> {
  const events = await environment.events('userctx.entitlement.changed', family.familyId);
  return events.map(({ version, cloudBytes, watchPlanCids }) => ({ version, cloudBytes, watchPlanCids }));
}

const periods = async () =>
  (await entitlements.list(family.owner, family.familyId)).items.map(({ startsAt, endsAt }) => endsAt - startsAt);

/** Makes the order due and lets the reconciliation process it at this time. */
async function reconcile({ orderId }: OrderDto, now: number): Promise<number | null> {
  jest.spyOn(Date, 'now').mockReturnValue(now);
  await environment.query('UPDATE userctx.payment_order SET due_at = 0 WHERE order_id = $1', [orderId]);
  await settlement.reconcileDue(now);
  const [row] = await environment.query<{ due_at: number | null }>(
    'SELECT due_at FROM userctx.payment_order WHERE order_id = $1',
    [orderId],
  );
  return row?.due_at ?? null;
}

test('different products add up, the same product is prolonged, and each change is published with a higher version', async () => {
  await buy('cloud');
  await buy('more');
  await buy('cloud');
  await buy('plan');
  expect(await published()).toEqual([
    { version: 1, cloudBytes: 1_000, watchPlanCids: [] },
    { version: 2, cloudBytes: 6_000, watchPlanCids: [] },
    { version: 3, cloudBytes: 6_000, watchPlanCids: [] },
    { version: 4, cloudBytes: 6_000, watchPlanCids: [family.cid] },
  ]);
  expect((await periods()).map((period) => period / DAY).sort((one, other) => one - other)).toEqual([30, 30, 30, 365]);
  const { items } = await entitlements.list(family.owner, family.familyId);
  const [first, second] = items.filter(({ cloudBytes }) => cloudBytes === 1_000);
  expect(second?.startsAt).toBe(first?.endsAt);
});

test('an entitlement that ends is published once, and the next period of the product follows without a gap', async () => {
  await buy('cloud');
  await buy('cloud');
  const now = Date.now();
  await entitlements.publishDue(now + 29 * DAY);
  expect(await published()).toHaveLength(2);
  await Promise.all([entitlements.publishDue(now + 31 * DAY), entitlements.publishDue(now + 31 * DAY)]);
  expect((await published()).at(-1)).toEqual({ version: 3, cloudBytes: 1_000, watchPlanCids: [] });
  await entitlements.publishDue(now + 61 * DAY);
  await entitlements.publishDue(now + 62 * DAY);
  expect((await published()).at(-1)).toEqual({ version: 4, cloudBytes: 0, watchPlanCids: [] });
  expect(await published()).toHaveLength(4);
});

test('an order whose payment takes days stays PENDING beyond its end, and is paid when the provider reports it', async () => {
  const order = await startOrder('cloud');
  const asked = jest.spyOn(sandbox, 'findPayment').mockResolvedValue({ orderId: order.orderId, outcome: 'PROCESSING' });
  const closed = jest.spyOn(sandbox, 'closePayment');
  expect(await outcomeOf(() => orders.close(family.owner, order.orderId))).toBe('ORDER_STATE');
  expect(await reconcile(order, Date.now() + DAY)).toEqual(expect.any(Number));
  expect((await getOrder(order)).state).toBe('PENDING');
  expect(closed).not.toHaveBeenCalled();
  asked.mockRestore();
  closed.mockRestore();
  await notify(order, 'PAID');
  expect((await getOrder(order)).state).toBe('PAID');
});

test('a refund of the current period lets the next period begin now', async () => {
  const first = await buy('cloud');
  const second = await buy('cloud');
  await orders.refund(family.owner, first.orderId);
  const { items } = await entitlements.list(family.owner, family.familyId);
  expect(items.map(({ orderId }) => orderId)).toEqual([second.orderId]);
  expect(items[0]?.startsAt).toBeLessThanOrEqual(Date.now());
  expect((await published()).at(-1)).toMatchObject({ cloudBytes: 1_000 });
});

test('the reconciliation asks the provider with growing pauses, and closes an unpaid order at its end', async () => {
  const order = await startOrder('cloud');
  const start = Date.now();
  const pauses: number[] = [];
  for (let attempt = 0; attempt < 4; attempt += 1) pauses.push(((await reconcile(order, start)) ?? 0) - start);
  expect(pauses).toEqual([10_000, 20_000, 40_000, 80_000]);
  expect(await getOrder(order)).toMatchObject({ state: 'PENDING' });
  expect(await reconcile(order, start + HOUR)).toBe(start + HOUR + 10_000);
  expect(await getOrder(order)).toMatchObject({ state: 'CLOSED' });
  expect(await reconcile(order, start + HOUR)).toBeNull();
});

test('a payment after the end of the order is refunded although its callback was lost', async () => {
  const order = await startOrder('cloud');
  // Not every provider can end a checkout, and no callback arrives.
  jest.spyOn(sandbox, 'closePayment').mockResolvedValue(undefined);
  const { orderId, amount, currency } = order;
  const paymentAtProvider = jest.spyOn(sandbox, 'findPayment').mockResolvedValue({ orderId, outcome: 'WAITING' });
  await orders.close(family.owner, orderId);
  expect(await reconcile(order, Date.now())).not.toBeNull();
  expect(await getOrder(order)).toMatchObject({ state: 'CLOSED' });
  paymentAtProvider.mockResolvedValue({ orderId, outcome: 'PAID', amount, currency, paymentRef: 'late' });
  await reconcile(order, Date.now());
  expect(await getOrder(order)).toMatchObject({ state: 'REFUNDED' });
});

test('a closed order is no longer asked about ten minutes after the end of its checkout', async () => {
  const order = await startOrder('cloud');
  jest.spyOn(sandbox, 'closePayment').mockResolvedValue(undefined);
  jest.spyOn(sandbox, 'findPayment').mockResolvedValue({ orderId: order.orderId, outcome: 'WAITING' });
  await orders.close(family.owner, order.orderId);
  const { expiresAt } = await getOrder(order);
  expect(await reconcile(order, expiresAt + 10 * 60_000 - 1)).not.toBeNull();
  expect(await reconcile(order, expiresAt + 10 * 60_000)).toBeNull();
});

test('a payment whose callback was lost is found by the reconciliation, even at the end of the order', async () => {
  const order = await startOrder('cloud');
  await environment.query(`UPDATE userctx.sandbox_payment SET state = 'PAID' WHERE order_id = $1`, [order.orderId]);
  await reconcile(order, Date.now() + 2 * HOUR);
  expect(await getOrder(order)).toMatchObject({ state: 'PAID' });
});

test('an order stays open while the provider is unavailable, and is reconciled later', async () => {
  const order = await startOrder('cloud');
  const start = Date.now();
  const outage = jest.spyOn(sandbox, 'findPayment').mockRejectedValue(new Error('unavailable'));
  expect(await reconcile(order, start + HOUR)).toBe(start + HOUR + 10_000);
  expect(await getOrder(order)).toMatchObject({ state: 'PENDING' });
  await expect(orders.close(family.owner, order.orderId)).rejects.toMatchObject({ reason: 'PAYMENT_UNAVAILABLE' });
  outage.mockRestore();
  await reconcile(order, start + HOUR);
  expect(await getOrder(order)).toMatchObject({ state: 'CLOSED' });
});

test('a refund is repeated until the provider has accepted it', async () => {
  const order = await buy('cloud');
  await orders.refund(family.owner, order.orderId);
  const refund = jest
    .spyOn(sandbox, 'refund')
    .mockRejectedValueOnce(new Error('unavailable'))
    .mockResolvedValueOnce(false);
  expect(await reconcile(order, Date.now())).not.toBeNull();
  expect(await reconcile(order, Date.now())).not.toBeNull();
  expect(await getOrder(order)).toMatchObject({ state: 'REFUNDING' });
  expect(await reconcile(order, Date.now())).toBeNull();
  expect(refund).toHaveBeenCalledTimes(3);
  expect(await getOrder(order)).toMatchObject({ state: 'REFUNDED' });
});

test('callbacks in any order lead to one payment or one refund', async () => {
  const failedFirst = await startOrder('cloud');
  for (const outcome of ['FAILED', 'PAID', 'PAID', 'CLOSED']) await notify(failedFirst, outcome);
  expect(await getOrder(failedFirst)).toMatchObject({ state: 'REFUNDING' });
  const paidFirst = await startOrder('cloud');
  for (const outcome of ['PAID', 'FAILED', 'CLOSED', 'WAITING', 'PAID']) await notify(paidFirst, outcome);
  expect(await getOrder(paidFirst)).toMatchObject({ state: 'PAID' });
  await fulfil(paidFirst);
  await fulfil(paidFirst);
  expect(await getOrder(paidFirst)).toMatchObject({ state: 'FULFILLED' });
  expect(await periods()).toEqual([30 * DAY]);
});

test('an order can be returned for 14 days', async () => {
  const order = await buy('cloud');
  const paidAt = (await getOrder(order)).paidAt ?? 0;
  jest.spyOn(Date, 'now').mockReturnValue(paidAt + 14 * DAY + 1);
  expect(await outcomeOf(() => orders.refund(family.owner, order.orderId))).toBe('ORDER_STATE');
  jest.spyOn(Date, 'now').mockReturnValue(paidAt + 14 * DAY);
  expect(await outcomeOf(() => orders.refund(family.owner, order.orderId))).toBe('ok');
});

test('a plan that was used to its end cannot be returned', async () => {
  const order = await buy('week');
  const paidAt = (await getOrder(order)).paidAt ?? 0;
  jest.spyOn(Date, 'now').mockReturnValue(paidAt + 8 * DAY);
  expect(await outcomeOf(() => orders.refund(family.owner, order.orderId))).toBe('ORDER_STATE');
});

test('a plan that is paid after the child was erased is refunded, and the order keeps no reference to the child', async () => {
  const order = await startOrder('plan');
  await environment.query('DELETE FROM userctx.family_child WHERE cid = $1', [family.cid]);
  await environment.deliverErasure(replica, 'userctx.payments.erase-child', family);
  await notify(order, 'PAID');
  await fulfil(order);
  expect(await getOrder(order)).toMatchObject({ state: 'REFUNDING', cid: null });
});

test('an order keeps no reference to an erased account', async () => {
  const order = await startOrder('cloud');
  await eraseAccount([]);
  const rows = await environment.query('SELECT BY, payer_user_id FROM userctx.payment_order WHERE order_id = $1', [
    order.orderId,
  ]);
  expect(rows).toEqual([{ by: null, payer_user_id: null }]);
});

test('an erased family keeps nothing that it has bought, and no later change of it is published', async () => {
  const order = await buy('cloud');
  await fulfil(order);
  const { familyId } = family;
  await eraseAccount([familyId]);
  for (const table of ['entitlement', 'entitlement_version'])
    expect(await environment.query(`SELECT FROM userctx.${table} WHERE family_id = $1`, [familyId])).toEqual([]);
  expect(
    await environment.query('SELECT FROM userctx.payment_order WHERE order_id = $1', [order.orderId]),
  ).toHaveLength(1);
});

test('an erased family keeps no unpaid order, and a late payment is returned without a reference to the family', async () => {
  const [created, closed, pending, paid] = [
    await createOrder('cloud'),
    await createOrder('cloud'),
    await startOrder('cloud'),
    await buy('cloud'),
  ];
  await orders.close(family.owner, closed.orderId);
  await environment.query('UPDATE userctx.payment_order SET due_at = NULL WHERE order_id = $1', [closed.orderId]);
  const { familyId, owner } = family;
  await eraseAccount([familyId]);
  const find = () =>
    environment.query<{ order_id: string; state: string; text: string }>(
      'SELECT order_id, state, to_jsonb(o)::text AS text FROM userctx.payment_order o WHERE order_id = ANY ($1)',
      [[created, closed, pending, paid].map(({ orderId }) => orderId)],
    );
  const rows = await find();
  expect(new Set(rows.map(({ order_id }) => order_id))).toEqual(new Set([pending.orderId, paid.orderId]));
  for (const { order_id, text } of rows) {
    expect(text.includes(familyId)).toBe(order_id === paid.orderId);
    for (const trace of [owner.id, '/payment/sandbox/']) expect(text).not.toContain(trace);
  }
  await notify(pending, 'PAID');
  await fulfil({ ...pending, familyId: '00000000-0000-0000-0000-000000000000' });
  expect((await find()).find(({ order_id }) => order_id === pending.orderId)).toMatchObject({ state: 'REFUNDING' });
});

test('a family creates at most 50 orders in a day, also concurrently', async () => {
  const outcomes = await Promise.all(Array.from({ length: 55 }, () => outcomeOf(() => createOrder('cloud'))));
  expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(50);
  expect(outcomes.filter((outcome) => outcome === 'LIMIT_REACHED')).toHaveLength(5);
});

test('an order whose payment begins shortly before its end can be paid for an hour', async () => {
  const order = await createOrder('cloud');
  const now = order.expiresAt - 1;
  jest.spyOn(Date, 'now').mockReturnValue(now);
  const { expiresAt } = await orders.pay(family.owner, { orderId: order.orderId }, 'https://family.example');
  expect(expiresAt).toBe(now + HOUR);
  jest.spyOn(Date, 'now').mockReturnValue(now + 2);
  const late = await createOrder('cloud');
  jest.spyOn(Date, 'now').mockReturnValue(late.expiresAt);
  const pay = () => orders.pay(family.owner, { orderId: late.orderId }, 'https://family.example');
  expect(await outcomeOf(pay)).toBe('ORDER_STATE');
});

test('an order keeps its price when the operator changes the product', async () => {
  const order = await createOrder('cloud');
  await environment.query(`UPDATE userctx.payment_product SET amount = 1 WHERE product_id = 'cloud'`);
  expect(await getOrder(order)).toMatchObject({ amount: 990 });
  await environment.query(`UPDATE userctx.payment_product SET amount = 990 WHERE product_id = 'cloud'`);
});

test('old unpaid orders and callbacks are deleted, and paid orders are kept', async () => {
  const [paid, closed] = [await buy('cloud'), await createOrder('cloud')];
  await orders.close(family.owner, closed.orderId);
  await settlement.deleteOld(Date.now() + 91 * DAY);
  expect(await outcomeOf(() => getOrder(closed))).toBe('ORDER_NOT_FOUND');
  expect(await getOrder(paid)).toMatchObject({ state: 'FULFILLED' });
  expect(await environment.query('SELECT FROM userctx.payment_callback')).toEqual([]);
});
