import { generateKeyPairSync, randomUUID, sign, verify, type KeyObject } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { AlipayProvider } from '../../../src/payments/providers/alipay.provider.js';
import type { PayableOrder, RawCallback } from '../../../src/payments/providers/payment-provider.js';
import { describePaymentProvider } from './payment-provider.contract.js';
import { PUBLISHED_ALIPAY_KEY, PUBLISHED_ALIPAY_NOTIFICATION } from './published-examples.js';
import { StandInServer, type StandInRequest, type StandInResponse } from '../../support/stand-in-server.js';

const APP_ID = '2021000000000001';
const app = generateKeyPairSync('rsa', { modulusLength: 2048 });
const alipay = generateKeyPairSync('rsa', { modulusLength: 2048 });

const pemOf = (key: KeyObject) =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' } as never).toString();

interface Trade {
  status: string;
  total_amount: string;
  refunds: Set<string>;
}

/** Takes the place of Alipay's gateway: verifies the app's signatures, and signs its responses. */
class AlipayStandIn {
  readonly trades = new Map<string, Trade>();

  respond({ url: path, body }: StandInRequest): StandInResponse {
    const form = new URLSearchParams([...new URL(path, 'http://alipay').searchParams, ...new URLSearchParams(body)]);
    const { method = '', ...fields } = this.verify(form);
    const content = JSON.parse(fields['biz_content'] ?? '{}') as Record<string, string>;
    const response = JSON.stringify(this.handle(method, content));
    const signature = sign('sha256', Buffer.from(response), alipay.privateKey).toString('base64');
    return { status: 200, body: `{"${method.replaceAll('.', '_')}_response":${response},"sign":"${signature}"}` };
  }

  /** Opens the payment page: Alipay learns of the trade. */
  open(checkoutUrl: string): void {
    const { method, app_id, biz_content = '{}' } = this.verify(new URL(checkoutUrl).searchParams);
    expect({ method, app_id }).toEqual({ method: 'alipay.trade.wap.pay', app_id: APP_ID });
    const { out_trade_no: number = '', total_amount = '' } = JSON.parse(biz_content) as Record<string, string>;
    this.trades.set(number, { status: 'WAIT_BUYER_PAY', total_amount, refunds: new Set() });
  }

  private verify(form: URLSearchParams): Record<string, string> {
    const { sign: signature = '', ...fields } = Object.fromEntries(form);
    if (!verify('sha256', toSignedText(fields), app.publicKey, Buffer.from(signature, 'base64')))
      throw new Error('The request is not signed by the app');
    return fields;
  }

  private handle(method: string, content: Record<string, string>): object {
    const trade = this.trades.get(content['out_trade_no'] ?? '');
    if (!trade) return { code: '40004', msg: 'Business Failed', sub_code: 'ACQ.TRADE_NOT_EXIST', sub_msg: 'none' };
    const success = { code: '10000', msg: 'Success', out_trade_no: content['out_trade_no'] };
    const request = content['out_request_no'] ?? '';
    switch (method) {
      case 'alipay.trade.query':
        return { ...success, trade_no: '42', trade_status: trade.status, total_amount: trade.total_amount };
      case 'alipay.trade.close':
        if (trade.status !== 'WAIT_BUYER_PAY') return { code: '40004', msg: 'x', sub_code: 'ACQ.TRADE_STATUS_ERROR' };
        trade.status = 'TRADE_CLOSED';
        return success;
      case 'alipay.trade.refund': {
        const isRepeated = trade.refunds.has(request);
        trade.refunds.add(request);
        return { ...success, fund_change: isRepeated ? 'N' : 'Y' };
      }
      default:
        return { ...success, refund_status: trade.refunds.has(request) ? 'REFUND_SUCCESS' : undefined };
    }
  }
}

/** Returns the text that Alipay's scheme signs: all fields except the signature, sorted by name. */
function toSignedText(fields: Record<string, string>): Buffer {
  const names = Object.keys(fields).sort();
  return Buffer.from(names.map((name) => `${name}=${fields[name]}`).join('&'));
}

/** Signs a notification, whose signature does not cover `sign_type`. */
function signCallback(fields: Record<string, string>, { type = 'RSA2', key = alipay.privateKey } = {}): RawCallback {
  const algorithm = type === 'RSA2' ? 'sha256' : 'sha1';
  const signature = sign(algorithm, toSignedText(fields), key).toString('base64');
  const form = new URLSearchParams({ ...fields, sign: signature, sign_type: type });
  return { headers: {}, body: Buffer.from(form.toString()) };
}

function createProvider(gateway: string, settings: { appId?: string; alipayPublicKey?: string } = {}): AlipayProvider {
  return new AlipayProvider({
    appId: APP_ID,
    publicUrl: 'https://family.example',
    privateKey: pemOf(app.privateKey),
    alipayPublicKey: pemOf(alipay.publicKey),
    returnUrl: 'https://family.example',
    gatewayUrl: gateway,
    ...settings,
  });
}

function notificationOf({ orderId, amount }: { orderId: string; amount: number }): Record<string, string> {
  return {
    app_id: APP_ID,
    notify_id: randomUUID(),
    notify_type: 'trade_status_sync',
    subject: 'Cloud space & plan',
    out_trade_no: orderId,
    trade_no: '42',
    trade_status: 'TRADE_SUCCESS',
    total_amount: (amount / 100).toFixed(2),
  };
}

describePaymentProvider('alipay', async () => {
  const standIn = new AlipayStandIn();
  const server = await StandInServer.start((request) => standIn.respond(request));
  const provider = createProvider(`${server.origin}/gateway.do`);
  const pay = async (order: PayableOrder) => {
    const { checkoutUrl } = await provider.startPayment(order);
    standIn.open(checkoutUrl);
    const trade = standIn.trades.get(order.orderId);
    if (trade) trade.status = 'TRADE_SUCCESS';
  };
  return {
    provider,
    currency: 'CNY',
    pay,
    callbackFor: (order, changes = {}) => Promise.resolve(signCallback(notificationOf({ ...order, ...changes }))),
    oddCallbacks: (order) => {
      const notification = notificationOf(order);
      return [
        signCallback({}),
        signCallback({ ...notification, notify_id: '' }),
        signCallback({ ...notification, notify_id: 'a\0b' }),
        signCallback({ ...notification, notify_id: 'x'.repeat(10_000) }),
        signCallback({ ...notification, trade_no: 'a\0b' }),
        signCallback({ ...notification, out_trade_no: '' }),
        { headers: {}, body: Buffer.from('%%%=%00&sign_type=RSA2&sign=%ff') },
        { headers: {}, body: Buffer.from('sign_type=RSA2&sign=') },
        { headers: {}, body: Buffer.from('__proto__=1&constructor=2&sign_type=RSA2&sign=AA') },
      ];
    },
    foreignCallbacks: (order) => {
      const notification = notificationOf(order);
      return Promise.resolve([
        signCallback({ ...notification, app_id: '2021000000000002' }),
        signCallback(notification, { key: app.privateKey }),
      ]);
    },
    countRefunds: ({ orderId }) => Promise.resolve(standIn.trades.get(orderId)?.refunds.size ?? 0),
    stop: () => server.stop(),
  };
});

const offline = 'http://127.0.0.1:9/gateway.do';

test('a notification of Alipay that is signed with SHA-1 is rejected', async () => {
  const callback = signCallback(notificationOf({ orderId: randomUUID(), amount: 1 }), { type: 'RSA' });
  await expect(createProvider(offline).parseCallback(callback)).rejects.toMatchObject({ reason: 'CALLBACK_INVALID' });
});

test.each([
  ['0.01', 1],
  ['19.99', 1_999],
  ['19.9', 1_990],
  ['100000', 10_000_000],
  ['1e3', 0],
  ['-5.00', 0],
  ['', 0],
])('the amount %j of a notification of Alipay is %d fen (0: no amount)', async (text, amount) => {
  const fields = { ...notificationOf({ orderId: randomUUID(), amount: 1 }), total_amount: text };
  const { report } = await createProvider(offline).parseCallback(signCallback(fields));
  expect(report).toMatchObject({ outcome: 'PAID', amount, currency: 'CNY' });
});

test("the notification that Alipay's SDK publishes as an example verifies, and not with another amount", async () => {
  const appId = PUBLISHED_ALIPAY_NOTIFICATION.app_id;
  const provider = createProvider(offline, { appId, alipayPublicKey: PUBLISHED_ALIPAY_KEY });
  const parse = (fields: Record<string, string>) =>
    provider.parseCallback({ headers: {}, body: Buffer.from(new URLSearchParams(fields).toString()) });
  expect((await parse(PUBLISHED_ALIPAY_NOTIFICATION)).report).toMatchObject({ outcome: 'PAID', amount: 10 });
  await expect(parse({ ...PUBLISHED_ALIPAY_NOTIFICATION, total_amount: '0.01' })).rejects.toMatchObject({
    reason: 'CALLBACK_INVALID',
  });
});
