import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { deriveKey } from '@family-watch/platform/auth/secret-box';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { describeOneDeployment } from '../support/deployments.js';
import { FamilyFixture, waitForCenterMessage } from '../support/family-fixture.js';
import { CLOUD_PATH, expectOk, HttpClient } from '../support/http-client.js';
import { Parent } from '../support/parent.js';
import { CLOUD_BYTES, CLOUD_PRODUCT, PLAN_PRODUCT, PRICE, setTestProducts } from '../support/products.js';
import { TestService } from '../support/test-service.js';

const PATH = '/apis/v2/payment/';
const FREE_QUOTA = 20 * 1024 ** 3;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

interface Order {
  orderId: string;
  state: string;
  cid: string | null;
  amount: number;
  currency: string;
  by: string;
}

describeOneDeployment('payments', 'distributed', (deployment) => {
  let service: TestService;
  let family: FamilyFixture;
  let outside: HttpClient;
  let callbackKey: Buffer;

  beforeAll(async () => {
    service = await TestService.shared(deployment);
    callbackKey = deriveKey(service.secretKey, 'payments/sandbox-callbacks');
    await setTestProducts(service);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    family = await FamilyFixture.create(service);
    outside = new HttpClient(service.url);
  });
  afterEach(() => family.disconnectAll());

  const createOrder = (client: HttpClient, body: object = { productId: CLOUD_PRODUCT, familyId: family.familyId }) =>
    expectOk(client.post<Order>(`${PATH}order/create`, body));

  async function startPayment(order: Order, client: HttpClient = family.owner): Promise<string> {
    const { checkoutUrl } = await expectOk(
      client.post<{ checkoutUrl: string }>(`${PATH}order/pay`, { orderId: order.orderId }),
    );
    return new URL(checkoutUrl).pathname;
  }

  const choose = (page: string, action: string) =>
    outside.send('POST', page, { body: `action=${action}`, headers: FORM });

  /** A callback of the sandbox that reports the payment of an order. */
  function callbackOf({ orderId, amount, currency }: Order, changes: object = {}): string {
    const report = { orderId, outcome: 'PAID', amount, currency, paymentRef: orderId };
    return JSON.stringify({ callbackId: randomUUID(), ...report, ...changes });
  }

  function notify(body: string, signature = createHmac('sha256', callbackKey).update(body).digest('hex')) {
    return new HttpClient(service.url).send('POST', `${PATH}notify/sandbox`, {
      body,
      headers: { 'x-sandbox-signature': signature },
    });
  }

  const getOrder = ({ orderId }: Order) => expectOk(family.owner.get<Order>(`${PATH}order/get`, { orderId }));

  const waitForState = (order: Order, state: string) =>
    waitUntil(`the order to be ${state}`, async () => (await getOrder(order)).state === state);

  async function diskSize(): Promise<number> {
    const { data } = await expectOk(
      family.owner.post<{ data: { diskSize: number } }>(`${CLOUD_PATH}queryDiskInfo`, { cloudID: family.familyId }),
    );
    return data.diskSize;
  }

  const waitForDiskSize = (size: number) =>
    waitUntil(`the quota to be ${size}`, async () => (await diskSize()) === size);

  test('a plan that is paid on the sandbox page raises the quota of the cloud that the phone sees', async () => {
    const order = await createOrder(family.owner);
    expect(order).toMatchObject({
      state: 'CREATED',
      amount: PRICE,
      currency: 'CNY',
      by: `user:${family.owner.userId}`,
    });
    const page = await startPayment(order);
    expect(await startPayment(order)).toBe(page);
    const shown = await outside.send('GET', page);
    expect(shown.headers.get('content-type')).toContain('text/html');
    expect(shown.text).toContain('CNY');
    expect((await choose(page, 'pay')).status).toBe(200);
    await waitForDiskSize(FREE_QUOTA + CLOUD_BYTES);
    await waitForState(order, 'FULFILLED');
    const { items } = await expectOk(
      family.owner.get<{ items: { orderId: string }[] }>(`${PATH}entitlement/list`, { familyId: family.familyId }),
    );
    expect(items).toMatchObject([{ orderId: order.orderId, cloudBytes: CLOUD_BYTES }]);
    await waitForCenterMessage(family.guardian, 'ORDER', 'ORDER_CHANGED');
  });

  test('callbacks with a wrong signature, amount, currency, order or provider change nothing', async () => {
    const order = await createOrder(family.owner);
    await startPayment(order);
    const genuine = callbackOf(order);
    const rejected = [
      await notify(genuine, 'ab'.repeat(32)),
      await notify(genuine, ''),
      await notify(callbackOf(order, { amount: PRICE - 1 })),
      await notify(callbackOf(order, { amount: String(PRICE) })),
      await notify(callbackOf(order, { currency: 'USD' })),
      await notify(callbackOf(order, { orderId: randomUUID() })),
      await notify(callbackOf(await createOrder(family.owner))),
      await notify('{'),
    ];
    expect(rejected.map(({ body }) => body['reason'])).toEqual(rejected.map(() => 'CALLBACK_INVALID'));
    expect(await outside.send('POST', `${PATH}notify/stripe`, { body: genuine })).toMatchObject({ status: 404 });
    expect(await getOrder(order)).toMatchObject({ state: 'PENDING' });
    expect((await notify(genuine)).status).toBe(200);
    await waitForState(order, 'FULFILLED');
  });

  test('a refused payment fails the order', async () => {
    const order = await createOrder(family.owner);
    const page = await startPayment(order);
    await choose(page, 'refuse');
    expect(await getOrder(order)).toMatchObject({ state: 'FAILED' });
    expect(await choose(page, 'bribe')).toMatchObject({ status: 400 });
    const again = await family.owner.post(`${PATH}order/pay`, { orderId: order.orderId });
    expect(again.body['reason']).toBe('ORDER_STATE');
  });

  test('a delayed payment is found by the reconciliation without a callback', async () => {
    const order = await createOrder(family.owner);
    await choose(await startPayment(order), 'delay');
    expect(await getOrder(order)).toMatchObject({ state: 'PENDING' });
    await service.query('UPDATE userctx.sandbox_payment SET pays_at = 0 WHERE order_id = $1', [order.orderId]);
    await service.query('UPDATE userctx.payment_order SET due_at = 0 WHERE order_id = $1', [order.orderId]);
    await waitForState(order, 'FULFILLED');
  });

  test('a refund shrinks the quota, deletes no file, and rejects uploads that do not fit', async () => {
    const order = await createOrder(family.owner);
    await choose(await startPayment(order), 'pay');
    await waitForDiskSize(FREE_QUOTA + CLOUD_BYTES);
    const contentID = await family.storeFile();
    // The cloud contains more than the free quota, without storing 20 GB in the test.
    await service.query('UPDATE mcdisk.family_cloud SET used_size = used_size + $2 WHERE cloud_id = $1', [
      family.familyId,
      FREE_QUOTA,
    ]);
    expect(await family.guardian.post(`${PATH}order/refund`, { orderId: order.orderId })).toMatchObject({
      body: { reason: 'PERMISSION_MISSING' },
    });
    const refund = () => expectOk(family.owner.post<Order>(`${PATH}order/refund`, { orderId: order.orderId }));
    expect((await refund()).state).toMatch(/^REFUND/);
    await waitForDiskSize(FREE_QUOTA);
    await waitForState(order, 'REFUNDED');
    expect((await refund()).state).toBe('REFUNDED');
    const upload = await family.owner.post<{ reason: string }>(`${CLOUD_PATH}getFileUploadURL`, {
      cloudID: family.familyId,
      uploadContentList: [{ contentName: 'late.jpg', contentSize: 5 }],
    });
    expect(upload.body.reason).toBe('QUOTA_EXCEEDED');
    const download = await family.owner.post(`${CLOUD_PATH}getFileDownLoadURL`, {
      cloudID: family.familyId,
      contentID,
    });
    expect(download.status).toBe(200);
    await service.query('UPDATE mcdisk.family_cloud SET used_size = used_size - $2 WHERE cloud_id = $1', [
      family.familyId,
      FREE_QUOTA,
    ]);
  });

  test('a watch creates orders only as requests, which a guardian with the permission pays', async () => {
    const { watch, guardian, owner, cid } = family;
    const order = await createOrder(watch, { productId: PLAN_PRODUCT });
    expect(order).toMatchObject({ state: 'CREATED', cid, by: `watch:${watch.did}` });
    await waitForCenterMessage(guardian, 'ORDER', 'ORDER_REQUESTED');
    const pay = (client: HttpClient) => client.post(`${PATH}order/pay`, { orderId: order.orderId });
    expect(await pay(watch)).toMatchObject({ status: 403, body: { reason: 'FORBIDDEN' } });
    const caregiver = await Parent.signUp(service);
    await owner.addMember(caregiver, { role: 3, permissions: ['LOCATION', 'CHAT', 'CALL', 'ALERTS'] });
    expect(await pay(caregiver)).toMatchObject({ status: 403, body: { reason: 'PERMISSION_MISSING' } });
    await expectOk(
      owner.post('family/member/update', { familyId: family.familyId, userId: guardian.userId, permissions: ['CHAT'] }),
    );
    expect(await pay(guardian)).toMatchObject({ status: 403, body: { reason: 'PERMISSION_MISSING' } });
    await expectOk(
      owner.post('family/member/update', {
        familyId: family.familyId,
        userId: guardian.userId,
        permissions: ['CHAT', 'SETTINGS'],
      }),
    );
    await choose(await startPayment(order, guardian), 'pay');
    await waitForState(order, 'FULFILLED');
    expect(await expectOk(watch.get<Order>(`${PATH}order/get`, { orderId: order.orderId }))).toMatchObject({
      state: 'FULFILLED',
    });
    for (let index = 1; index < 5; index += 1) await createOrder(watch, { productId: PLAN_PRODUCT });
    expect(await watch.post(`${PATH}order/create`, { productId: PLAN_PRODUCT })).toMatchObject({
      status: 409,
      body: { reason: 'LIMIT_REACHED' },
    });
  });
});
