import { PAYMENT_PROVIDER } from '@family-watch/domain/payments/contracts/payment';
import {
  invalidCallback,
  parseCallbackJson,
  type PayableOrder,
  type PaymentProvider,
  type PaymentReport,
  type ProviderCallback,
  type RawCallback,
} from './payment-provider.js';
import { openResource, WechatPayClient, type EncryptedResource, type WechatPaySettings } from './wechatpay-client.js';

const CURRENCY = 'CNY';

/** The fields of a transaction that the service reads. */
interface Transaction {
  appid?: string;
  mchid?: string;
  out_trade_no?: string;
  transaction_id?: string;
  trade_state?: string;
  amount?: { total?: number; currency?: string };
}

/** Native payments of WeChat Pay, API v3: the payer scans the checkout URL as a QR code. */
export class WechatPayProvider implements PaymentProvider {
  readonly name = PAYMENT_PROVIDER.WECHATPAY;
  readonly callbackResponse = { contentType: 'application/json', body: JSON.stringify({ code: 'SUCCESS' }) };
  private readonly client: WechatPayClient;

  constructor(private readonly settings: WechatPaySettings) {
    this.client = new WechatPayClient(settings);
  }

  supportsCurrency(currency: string): boolean {
    return currency === CURRENCY;
  }

  async startPayment({ orderId, title, amount, expiresAt }: PayableOrder) {
    const { appId: appid, merchantId: mchid, publicUrl } = this.settings;
    const response = await this.client.request('POST', '/v3/pay/transactions/native', {
      appid,
      mchid,
      description: title,
      out_trade_no: toTradeNumber(orderId),
      time_expire: `${new Date(expiresAt).toISOString().slice(0, 19)}+00:00`,
      notify_url: `${publicUrl}/apis/v2/payment/notify/${this.name}`,
      amount: { total: amount, currency: CURRENCY },
    });
    const { code_url: checkoutUrl } = response.body as { code_url?: unknown };
    if (response.status !== 200 || typeof checkoutUrl !== 'string') throw failure('Creating a payment', response);
    return { checkoutUrl, providerRef: null };
  }

  async findPayment({ orderId }: PayableOrder): Promise<PaymentReport> {
    const path = `/v3/pay/transactions/out-trade-no/${toTradeNumber(orderId)}`;
    const response = await this.client.request('GET', `${path}?mchid=${this.settings.merchantId}`);
    if (response.status === 404) return { orderId, outcome: 'WAITING' };
    if (response.status !== 200) throw failure('Querying a payment', response);
    return this.toReport(response.body);
  }

  async closePayment({ orderId }: PayableOrder): Promise<void> {
    const path = `/v3/pay/transactions/out-trade-no/${toTradeNumber(orderId)}/close`;
    const response = await this.client.request('POST', path, { mchid: this.settings.merchantId });
    if (response.status !== 204 && response.status !== 404) throw failure('Closing a payment', response);
  }

  /** The refund number is the order's, so that WeChat Pay answers a repeated request with the first refund. */
  async refund({ orderId, amount }: PayableOrder): Promise<boolean> {
    const number = toTradeNumber(orderId);
    const response = await this.client.request('POST', '/v3/refund/domestic/refunds', {
      out_trade_no: number,
      out_refund_no: number,
      amount: { refund: amount, total: amount, currency: CURRENCY },
    });
    const { status } = response.body as { status?: unknown };
    if (response.status !== 200 || (status !== 'SUCCESS' && status !== 'PROCESSING'))
      throw failure('Refunding a payment', response);
    return status === 'SUCCESS';
  }

  async parseCallback(callback: RawCallback): Promise<ProviderCallback> {
    await this.client.verifyCallback(callback);
    const { id, event_type: type, resource } = parseCallbackJson(callback.body.toString());
    if (typeof id !== 'string') throw invalidCallback('The notification has no id');
    if (type !== 'TRANSACTION.SUCCESS') return { callbackId: id, report: null };
    const transaction = parseCallbackJson(openResource(resource as EncryptedResource, this.settings.apiV3Key));
    return { callbackId: id, report: this.toReport(transaction) };
  }

  private toReport(transaction: Transaction): PaymentReport {
    const { appid, mchid, out_trade_no: number = '', transaction_id: paymentRef = null, amount } = transaction;
    if (appid !== this.settings.appId || mchid !== this.settings.merchantId)
      throw invalidCallback('The transaction belongs to another merchant or app');
    const orderId = toOrderId(number);
    switch (transaction.trade_state) {
      case 'SUCCESS':
      case 'REFUND':
        return { orderId, outcome: 'PAID', amount: amount?.total ?? 0, currency: amount?.currency ?? '', paymentRef };
      case 'CLOSED':
      case 'REVOKED':
        return { orderId, outcome: 'CLOSED' };
      case 'PAYERROR':
        return { orderId, outcome: 'FAILED' };
      default:
        return { orderId, outcome: 'WAITING' };
    }
  }
}

/** Returns the merchant's number of an order, which has at most 32 characters: the UUID without hyphens. */
function toTradeNumber(orderId: string): string {
  return orderId.replaceAll('-', '');
}

function toOrderId(tradeNumber: string): string {
  return tradeNumber.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function failure(action: string, { status, body }: { status: number; body: object }): Error {
  const { code } = body as { code?: unknown };
  return new Error(`${action} failed at WeChat Pay: status ${status}, code ${String(code)}`);
}
