import {
  createCipheriv,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
  type KeyObject,
} from 'node:crypto';
import { afterEach, expect, jest, test } from '@jest/globals';
import { createCertificate } from '@family-watch/testing/network/self-signed-certificate';
import type { PayableOrder, RawCallback } from '../../../src/payments/providers/payment-provider.js';
import {
  signMessage,
  verifyMessage,
  type EncryptedResource,
  type WechatPaySettings,
} from '../../../src/payments/providers/wechatpay-client.js';
import { WechatPayProvider } from '../../../src/payments/providers/wechatpay.provider.js';
import { describePaymentProvider, ODD_VALUES } from './payment-provider.contract.js';
import { PUBLISHED_CERTIFICATE_KEY, PUBLISHED_NOTIFICATION } from './published-examples.js';
import { StandInServer, type StandInRequest, type StandInResponse } from '../../support/stand-in-server.js';

const API_V3_KEY = 'k'.repeat(32);
const MERCHANT_ID = '1900000109';
const APP_ID = 'wx0000000000000001';
const MERCHANT_SERIAL = '5157F09EFDC096DE15EBE81A47057A72';

const createKeyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const merchant = createKeyPair();

/** A platform key of WeChat Pay with its certificate. */
interface PlatformKey {
  serial: string;
  privateKey: KeyObject;
  certificate: string;
}

function createPlatformKey(serial: string, validTo = Date.now() + 86_400_000): PlatformKey {
  const { privateKey, publicKey } = createKeyPair();
  return {
    serial,
    privateKey,
    certificate: createCertificate({ commonName: 'WeChat Pay', serial, privateKey, publicKey, validTo }),
  };
}

interface Trade {
  out_trade_no: string;
  trade_state: string;
  total: number;
  refunds: number;
}

/** Takes the place of WeChat Pay: verifies the merchant's signatures, and signs with its newest platform key. */
class WechatPayStandIn {
  keys = [createPlatformKey('11AA')];
  certificateDownloads = 0;
  readonly trades = new Map<string, Trade>();

  respond(request: StandInRequest): StandInResponse {
    const { status, body } = isSignedByMerchant(request)
      ? this.handle(request)
      : { status: 401, body: { code: 'SIGN' } };
    const text = status === 204 ? '' : JSON.stringify(body);
    return { status, headers: this.sign(text), body: text };
  }

  private handle({ method, url: path, body: text }: StandInRequest): { status: number; body: object } {
    const body = (text === '' ? {} : JSON.parse(text)) as {
      out_trade_no?: string;
      out_refund_no?: string;
      amount?: { total: number };
    };
    if (path === '/v3/certificates') {
      this.certificateDownloads += 1;
      const data = this.keys.map(({ serial: serial_no, certificate }) => {
        return { serial_no, encrypt_certificate: encrypt(certificate) };
      });
      return { status: 200, body: { data } };
    }
    const number = body.out_trade_no ?? /out-trade-no\/(\w+)/.exec(path)?.[1] ?? '';
    if (path === '/v3/pay/transactions/native') {
      if (!/^\w{32}$/.test(number)) return { status: 400, body: { code: 'PARAM_ERROR' } };
      const trade = { out_trade_no: number, trade_state: 'NOTPAY', total: body.amount?.total ?? 0, refunds: 0 };
      if (!this.trades.has(number)) this.trades.set(number, trade);
      return { status: 200, body: { code_url: `weixin://wxpay/bizpayurl?pr=${number}` } };
    }
    const trade = this.trades.get(number);
    if (!trade) return { status: 404, body: { code: 'ORDER_NOT_EXIST' } };
    if (path === '/v3/refund/domestic/refunds') {
      trade.refunds = 1;
      trade.trade_state = 'REFUND';
      return { status: 200, body: { status: 'SUCCESS' } };
    }
    if (method === 'GET') return { status: 200, body: this.transactionOf(trade) };
    if (trade.trade_state === 'SUCCESS') return { status: 400, body: { code: 'ORDERPAID' } };
    trade.trade_state = 'CLOSED';
    return { status: 204, body: {} };
  }

  transactionOf({ out_trade_no, trade_state, total }: Trade): object {
    const paid = trade_state === 'NOTPAY' ? {} : { transaction_id: `42${out_trade_no}` };
    return {
      appid: APP_ID,
      mchid: MERCHANT_ID,
      out_trade_no,
      trade_state,
      amount: { total, currency: 'CNY' },
      ...paid,
    };
  }

  tradeOf({ orderId }: PayableOrder): Trade {
    const trade = this.trades.get(orderId.replaceAll('-', ''));
    if (!trade) throw new Error('WeChat Pay does not know the order');
    return trade;
  }

  callbackOf(transaction: unknown, { key = this.newestKey, time = Date.now() } = {}): RawCallback {
    const resource = encrypt(JSON.stringify(transaction));
    return this.signCallback({ id: randomUUID(), event_type: 'TRANSACTION.SUCCESS', resource }, key, time);
  }

  signCallback(event: unknown, key = this.newestKey, time = Date.now()): RawCallback {
    const body = JSON.stringify(event);
    return { headers: this.sign(body, key, time), body: Buffer.from(body) };
  }

  private sign(body: string, { serial, privateKey } = this.newestKey, time = Date.now()): Record<string, string> {
    const [timestamp, nonce] = [String(Math.floor(time / 1_000)), randomBytes(8).toString('hex')];
    return {
      'wechatpay-timestamp': timestamp,
      'wechatpay-nonce': nonce,
      'wechatpay-serial': serial,
      'wechatpay-signature': signMessage(privateKey, [timestamp, nonce, body]),
    };
  }

  private get newestKey(): PlatformKey {
    return this.keys.at(-1) as PlatformKey;
  }
}

function isSignedByMerchant({ method, url: path, headers, body }: StandInRequest): boolean {
  const [scheme, text = ''] = (headers.authorization ?? '').split(' ');
  const {
    mchid,
    serial_no,
    nonce_str = '',
    timestamp = '',
    signature = '',
  } = Object.fromEntries(
    [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  ) as Record<string, string>;
  const isKnown = scheme === 'WECHATPAY2-SHA256-RSA2048' && mchid === MERCHANT_ID && serial_no === MERCHANT_SERIAL;
  const message = [method, path, timestamp, nonce_str, body];
  return isKnown && verifyMessage(merchant.publicKey, message, Buffer.from(signature, 'base64'));
}

function encrypt(text: string): EncryptedResource & { algorithm: string } {
  const nonce = randomBytes(6).toString('hex');
  const cipher = createCipheriv('aes-256-gcm', API_V3_KEY, nonce);
  cipher.setAAD(Buffer.from('data'));
  const bytes = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  return { algorithm: 'AEAD_AES_256_GCM', nonce, associated_data: 'data', ciphertext: bytes.toString('base64') };
}

function settingsFor(apiUrl: string): WechatPaySettings {
  return {
    merchantId: MERCHANT_ID,
    appId: APP_ID,
    publicUrl: 'https://family.example',
    privateKey: merchant.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificateSerial: MERCHANT_SERIAL,
    apiV3Key: API_V3_KEY,
    apiUrl,
  };
}

async function start() {
  const wechat = new WechatPayStandIn();
  const server = await StandInServer.start((request) => wechat.respond(request));
  return { wechat, provider: new WechatPayProvider(settingsFor(server.origin)), stop: () => server.stop() };
}

describePaymentProvider('wechatpay', async () => {
  const { wechat, provider, stop } = await start();
  return {
    provider,
    currency: 'CNY',
    pay: (order) => {
      wechat.tradeOf(order).trade_state = 'SUCCESS';
      return Promise.resolve();
    },
    callbackFor: (order, { amount, orderId } = {}) => {
      const trade = wechat.tradeOf(order);
      const number = orderId?.replaceAll('-', '') ?? trade.out_trade_no;
      const transaction = wechat.transactionOf({ ...trade, out_trade_no: number, total: amount ?? trade.total });
      return Promise.resolve(wechat.callbackOf(transaction));
    },
    foreignCallbacks: (order) => {
      const transaction = wechat.transactionOf(wechat.tradeOf(order));
      return Promise.resolve([
        wechat.callbackOf({ ...transaction, mchid: '1900000110' }),
        wechat.callbackOf({ ...transaction, appid: 'wx0000000000000002' }),
      ]);
    },
    oddCallbacks: (order) => {
      const transaction = wechat.transactionOf(wechat.tradeOf(order));
      const event = { id: 'odd', event_type: 'TRANSACTION.SUCCESS' };
      return [
        ...ODD_VALUES.map((value) => wechat.signCallback(value)),
        ...ODD_VALUES.map((resource) => wechat.signCallback({ ...event, resource })),
        ...ODD_VALUES.map((value) => wechat.callbackOf(value)),
        wechat.callbackOf({ ...transaction, out_trade_no: 7 }),
        wechat.callbackOf({ ...transaction, transaction_id: {} }),
        wechat.callbackOf({ ...transaction, amount: 'much' }),
        wechat.callbackOf({ ...transaction, amount: { total: '1999', currency: 'CNY' } }),
      ];
    },
    countRefunds: (order) => Promise.resolve(wechat.tradeOf(order).refunds),
    stop,
  };
});

afterEach(() => {
  jest.restoreAllMocks();
});

const rejection = expect.objectContaining({ reason: 'CALLBACK_INVALID' });

test('WeChat Pay replaces its platform certificate, and callbacks signed with the new one are accepted', async () => {
  const { wechat, provider, stop } = await start();
  await provider.parseCallback(wechat.callbackOf(TRANSACTION));
  wechat.keys.push(createPlatformKey('22BB'));
  jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000);
  await provider.parseCallback(wechat.callbackOf(TRANSACTION));
  expect(wechat.certificateDownloads).toBe(2);
  await stop();
});

test('callbacks with unknown certificates cause at most one download in a minute', async () => {
  const { wechat, provider, stop } = await start();
  const unknown = () => wechat.callbackOf(TRANSACTION, { key: createPlatformKey('33CC') });
  await Promise.all([0, 1, 2].map(() => expect(provider.parseCallback(unknown())).rejects.toEqual(rejection)));
  await expect(provider.parseCallback(unknown())).rejects.toEqual(rejection);
  expect(wechat.certificateDownloads).toBe(1);
  await stop();
});

test('A44 callbacks with unknown certificates are invalid while WeChat Pay does not respond, and cause one attempt', async () => {
  let attempts = 0;
  const server = await StandInServer.start(() => {
    attempts += 1;
    return { status: 503, body: '' };
  });
  const provider = new WechatPayProvider(settingsFor(server.origin));
  const unknown = () => new WechatPayStandIn().callbackOf(TRANSACTION, { key: createPlatformKey('33CC') });
  await Promise.all([0, 1, 2].map(() => expect(provider.parseCallback(unknown())).rejects.toEqual(rejection)));
  await expect(provider.parseCallback(unknown())).rejects.toEqual(rejection);
  expect(attempts).toBe(1);
  await server.stop();
});

test('an expired certificate, and a signature that is older than five minutes, are rejected', async () => {
  const { wechat, provider, stop } = await start();
  wechat.keys.unshift(createPlatformKey('44DD', Date.now() - 60_000));
  const [expired] = wechat.keys;
  await expect(provider.parseCallback(wechat.callbackOf(TRANSACTION, { key: expired }))).rejects.toEqual(rejection);
  const late = wechat.callbackOf(TRANSACTION, { time: Date.now() - 302_000 });
  await expect(provider.parseCallback(late)).rejects.toEqual(rejection);
  await stop();
});

test('a response that is not signed by WeChat Pay is rejected', async () => {
  const server = await StandInServer.start(() => ({ status: 200, body: '{"code_url":"weixin://forged"}' }));
  const provider = new WechatPayProvider(settingsFor(server.origin));
  const order = { orderId: randomUUID(), title: 'x', amount: 1, currency: 'CNY', expiresAt: Date.now() };
  const payable = { ...order, providerRef: null, paymentRef: null };
  await expect(provider.startPayment(payable)).rejects.toThrow();
  await server.stop();
});

test("the notification that WeChat Pay's SDK publishes as an example verifies, and not with a changed byte", async () => {
  const { headers, body, serial, time } = PUBLISHED_NOTIFICATION;
  const pem = createPublicKey(PUBLISHED_CERTIFICATE_KEY).export({ type: 'spki', format: 'pem' }).toString();
  const provider = new WechatPayProvider({ ...settingsFor('http://127.0.0.1:9'), publicKey: { id: serial, pem } });
  jest.spyOn(Date, 'now').mockReturnValue(time);
  expect(await provider.parseCallback({ headers, body: Buffer.from(body) })).toEqual({
    callbackId: '3119dfba-e649-5eec-ab1e-3412bc4d2e17',
    report: null,
  });
  const changed = Buffer.from(body.replace('payscore', 'payscorf'));
  await expect(provider.parseCallback({ headers, body: changed })).rejects.toEqual(rejection);
});

const TRANSACTION = {
  appid: APP_ID,
  mchid: MERCHANT_ID,
  out_trade_no: randomUUID().replaceAll('-', ''),
  trade_state: 'SUCCESS',
  amount: { total: 1, currency: 'CNY' },
};
