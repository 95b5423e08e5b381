import {
  createCipheriv,
  createHmac,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
  sign,
  type KeyObject,
} from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '@family-watch/testing/network/free-ports';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk, HttpClient } from '../support/http-client.js';
import { CLOUD_PRODUCT, PRICE, setTestProducts } from '../support/products.js';
import { TestService } from '../support/test-service.js';

const PATH = '/apis/v2/payment/';
const WEBHOOK_SECRET = 'whsec_end_to_end';
const API_V3_KEY = 'k'.repeat(32);
const PUBLIC_KEY_ID = 'PUB_KEY_ID_0100000000000001';
const [MERCHANT_ID, WECHAT_APP_ID, ALIPAY_APP_ID] = ['1900000109', 'wx0000000000000001', '2021000000000001'];

const createKeyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const provider = createKeyPair();
const merchant = createKeyPair();

interface Callback {
  body: string;
  headers: Record<string, string>;
}

const toYuan = (fen: number) => (fen / 100).toFixed(2);

/** Creates the genuine callback of each provider that reports the payment of an order. Amounts are in fen. */
const CALLBACKS: Record<string, (orderId: string, amount: number) => Callback> = {
  stripe: (orderId, amount) => {
    const session = { client_reference_id: orderId, metadata: { orderId }, payment_intent: 'pi_1' };
    const object = { ...session, amount_total: amount, currency: 'cny', payment_status: 'paid' };
    const event = { id: `evt_${randomUUID()}`, object: 'event', type: 'checkout.session.completed', livemode: false };
    // The signature covers the bytes: white space and the order of fields are not those of JSON.stringify.
    const body = `${JSON.stringify({ ...event, data: { object } }, null, 2)}\n`;
    const time = Math.floor(Date.now() / 1_000);
    const v1 = createHmac('sha256', WEBHOOK_SECRET).update(`${time}.${body}`).digest('hex');
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': `t=${time},v1=${v1}` };
    return { body, headers };
  },
  wechatpay: (orderId, amount) => {
    const transaction = {
      appid: WECHAT_APP_ID,
      mchid: MERCHANT_ID,
      out_trade_no: orderId.replaceAll('-', ''),
      transaction_id: '42',
      trade_state: 'SUCCESS',
      amount: { total: amount, currency: 'CNY' },
    };
    const nonce = randomBytes(6).toString('hex');
    const cipher = createCipheriv('aes-256-gcm', API_V3_KEY, nonce);
    const bytes = Buffer.concat([cipher.update(JSON.stringify(transaction)), cipher.final(), cipher.getAuthTag()]);
    const resource = { nonce, associated_data: '', ciphertext: bytes.toString('base64') };
    const body = JSON.stringify({ id: randomUUID(), event_type: 'TRANSACTION.SUCCESS', resource });
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = sign('sha256', Buffer.from(`${timestamp}\n${nonce}\n${body}\n`), provider.privateKey);
    const headers = {
      'content-type': 'application/json',
      'wechatpay-timestamp': timestamp,
      'wechatpay-nonce': nonce,
      'wechatpay-serial': PUBLIC_KEY_ID,
      'wechatpay-signature': signature.toString('base64'),
    };
    return { body, headers };
  },
  alipay: (orderId, amount) => {
    const fields: Record<string, string> = {
      app_id: ALIPAY_APP_ID,
      notify_id: randomUUID(),
      out_trade_no: orderId,
      subject: '100 GB + 云空间',
      total_amount: toYuan(amount),
      trade_no: '42',
      trade_status: 'TRADE_SUCCESS',
    };
    const names = Object.keys(fields).sort();
    const text = names.map((name) => `${name}=${fields[name]}`).join('&');
    const signature = sign('sha256', Buffer.from(text), provider.privateKey).toString('base64');
    const body = new URLSearchParams({ ...fields, sign: signature, sign_type: 'RSA2' }).toString();
    return { body, headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' } };
  },
};

const RESPONSES: Record<string, string> = { stripe: '{}', wechatpay: '{"code":"SUCCESS"}', alipay: 'success' };

describe('callbacks of payment providers', () => {
  let directory: string;
  let publicUrl: string;
  let service: TestService;
  let family: FamilyFixture;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fw-payments-'));
    const privateKey = await writeKey('merchant.pem', merchant.privateKey);
    const publicKey = await writeKey('provider.pem', provider.publicKey);
    const port = await freePort();
    publicUrl = `http://127.0.0.1:${port}`;
    // The suite starts its own service, because the shared service has only the sandbox.
    service = await TestService.start('standalone', {
      PORT: port,
      PUBLIC_URL: publicUrl,
      PAYMENT_PROVIDER: 'alipay,stripe,wechatpay',
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      WECHATPAY_MERCHANT_ID: MERCHANT_ID,
      WECHATPAY_APP_ID: WECHAT_APP_ID,
      WECHATPAY_PRIVATE_KEY: privateKey,
      WECHATPAY_CERTIFICATE_SERIAL: '5157F09EFDC096DE',
      WECHATPAY_API_V3_KEY: API_V3_KEY,
      WECHATPAY_PUBLIC_KEY: publicKey,
      WECHATPAY_PUBLIC_KEY_ID: PUBLIC_KEY_ID,
      ALIPAY_APP_ID,
      ALIPAY_PRIVATE_KEY: privateKey,
      ALIPAY_PUBLIC_KEY: publicKey,
    });
    await setTestProducts(service);
    family = await FamilyFixture.create(service);
  });
  afterAll(async () => {
    await service.stop();
    await rm(directory, { recursive: true });
  });

  async function writeKey(name: string, key: KeyObject): Promise<string> {
    const file = join(directory, name);
    const type = key.type === 'private' ? 'pkcs8' : 'spki';
    await writeFile(file, key.export({ type, format: 'pem' } as never));
    return file;
  }

  async function createOrder(): Promise<string> {
    const body = { productId: CLOUD_PRODUCT, familyId: family.familyId };
    return (await expectOk(family.owner.post<{ orderId: string }>(`${PATH}order/create`, body))).orderId;
  }

  /** Creates an order whose payment has begun; without a request to the provider, which the test does not have. */
  async function startOrder(name: string): Promise<string> {
    const orderId = await createOrder();
    await service.query(
      `UPDATE userctx.payment_order SET state = 'PENDING', provider = $2, due_at = NULL WHERE order_id = $1`,
      [orderId, name],
    );
    return orderId;
  }

  const notify = (name: string, { body, headers }: Callback) =>
    new HttpClient(service.url).send('POST', `${PATH}notify/${name}`, { body, headers });

  async function stateOf(orderId: string): Promise<string> {
    return (await expectOk(family.owner.get<{ state: string }>(`${PATH}order/get`, { orderId }))).state;
  }

  test.each(Object.entries(CALLBACKS))(
    'a genuine callback of %s pays once, and its copies change nothing',
    async (name, create) => {
      const orderId = await startOrder(name);
      const callback = create(orderId, PRICE);
      const responses = await Promise.all([1, 2, 3].map(() => notify(name, callback)));
      expect(responses.map(({ status, text }) => [status, text])).toEqual(responses.map(() => [200, RESPONSES[name]]));
      await waitUntil('the order to be fulfilled', async () => (await stateOf(orderId)) === 'FULFILLED');
      expect(await notify(name, callback)).toMatchObject({ status: 200 });
      const rows = await service.query('SELECT FROM userctx.entitlement WHERE order_id = $1', [orderId]);
      expect(rows).toHaveLength(1);
    },
  );

  test.each(Object.entries(CALLBACKS))(
    'callbacks of %s with another amount, another body, or for an order of another provider change nothing',
    async (name, create) => {
      const orderId = await startOrder(name);
      const genuine = create(orderId, PRICE);
      const otherOrder = await startOrder(Object.keys(CALLBACKS).find((other) => other !== name) ?? '');
      const rejected = await Promise.all([
        notify(name, create(orderId, PRICE + 1)),
        notify(name, { ...genuine, body: genuine.body.replace('4', '5') }),
        notify(name, { ...genuine, body: `${genuine.body} ` }),
        notify(name, create(otherOrder, PRICE)),
        notify(name, create(randomUUID(), PRICE)),
      ]);
      expect(rejected.map(({ status, body }) => [status, body['reason']])).toEqual(
        rejected.map(() => [400, 'CALLBACK_INVALID']),
      );
      expect([await stateOf(orderId), await stateOf(otherOrder)]).toEqual(['PENDING', 'PENDING']);
    },
  );

  test('the default provider signs a checkout URL that names the order and the callback', async () => {
    const orderId = await createOrder();
    const { checkoutUrl } = await expectOk(family.owner.post<{ checkoutUrl: string }>(`${PATH}order/pay`, { orderId }));
    const { hostname, searchParams } = new URL(checkoutUrl);
    expect(hostname).toBe('openapi.alipay.com');
    expect(searchParams.get('notify_url')).toBe(`${publicUrl}${PATH}notify/alipay`);
    expect(JSON.parse(searchParams.get('biz_content') ?? '')).toMatchObject({
      out_trade_no: orderId,
      total_amount: toYuan(PRICE),
    });
  });

  test('no log line contains a secret, and the sandbox does not exist', async () => {
    expect(await notify('sandbox', { body: '{}', headers: {} })).toMatchObject({ status: 404 });
    const page = await new HttpClient(service.url).get(`${PATH}sandbox/${randomUUID()}.${'A'.repeat(22)}`);
    expect(page).toMatchObject({ status: 404, body: { reason: 'LINK_NOT_FOUND' } });
    expect(service.logs.filter((line) => [WEBHOOK_SECRET, API_V3_KEY].some((secret) => line.includes(secret)))).toEqual(
      [],
    );
  });
});
