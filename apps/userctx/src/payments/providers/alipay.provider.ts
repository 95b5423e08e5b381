import { createPrivateKey, createPublicKey } from 'node:crypto';
import { AlipaySdk } from 'alipay-sdk';
import { PAYMENT_PROVIDER } from '@family-watch/domain/payments/contracts/payment';
import {
  invalidCallback,
  PROVIDER_TIMEOUT_MS,
  type PayableOrder,
  type PaymentProvider,
  type PaymentReport,
  type ProviderCallback,
  type RawCallback,
} from './payment-provider.js';

export interface AlipaySettings {
  appId: string;
  /** Base of the URL for callbacks, without a trailing slash. */
  publicUrl: string;
  /** PEM of the app's private key. */
  privateKey: string;
  /** PEM of Alipay's public key for this app. */
  alipayPublicKey: string;
  /** Page that Alipay opens after the payment. */
  returnUrl: string;
  gatewayUrl: string;
}

const CURRENCY = 'CNY';
const SUCCESS_CODE = '10000';
const UNKNOWN_TRADE = 'ACQ.TRADE_NOT_EXIST';
/** Offset of the times that Alipay reads, which are in China Standard Time. */
const TIME_OFFSET_MS = 8 * 3_600_000;

/** The fields of a trade that the service reads. */
interface Trade {
  orderId: string;
  status: string | undefined;
  /** Decimal text in yuan. */
  totalAmount: string | undefined;
  tradeNumber: string | undefined;
}

/** Payments on Alipay's page for mobile browsers, by Alipay's SDK. */
export class AlipayProvider implements PaymentProvider {
  readonly name = PAYMENT_PROVIDER.ALIPAY;
  readonly callbackResponse = { contentType: 'text/plain', body: 'success' };
  private readonly sdk: AlipaySdk;

  constructor(private readonly settings: AlipaySettings) {
    this.sdk = new AlipaySdk({
      appId: settings.appId,
      // The SDK distinguishes key formats by a setting; PKCS #8 and SPKI are what Node exports.
      privateKey: createPrivateKey(settings.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
      keyType: 'PKCS8',
      alipayPublicKey: createPublicKey(settings.alipayPublicKey).export({ type: 'spki', format: 'pem' }).toString(),
      gateway: settings.gatewayUrl,
      timeout: PROVIDER_TIMEOUT_MS,
    });
  }

  supportsCurrency(currency: string): boolean {
    return currency === CURRENCY;
  }

  /** Only signs a URL: Alipay learns of the payment when the payer opens it. */
  startPayment({ orderId, title, amount, expiresAt }: PayableOrder) {
    const checkoutUrl = this.sdk.pageExecute('alipay.trade.wap.pay', 'GET', {
      notifyUrl: `${this.settings.publicUrl}/apis/v2/payment/notify/${this.name}`,
      returnUrl: this.settings.returnUrl,
      bizContent: {
        out_trade_no: orderId,
        total_amount: toYuan(amount),
        subject: title,
        product_code: 'QUICK_WAP_WAY',
        time_expire: toChinaTime(expiresAt),
      },
    });
    return Promise.resolve({ checkoutUrl, providerRef: null });
  }

  async findPayment({ orderId }: PayableOrder): Promise<PaymentReport> {
    const found = await this.execute('alipay.trade.query', { out_trade_no: orderId });
    if (found.sub_code === UNKNOWN_TRADE) return { orderId, outcome: 'WAITING' };
    const { trade_status: status, total_amount: totalAmount, trade_no: tradeNumber } = found;
    return toReport({ orderId, status, totalAmount, tradeNumber });
  }

  async closePayment({ orderId }: PayableOrder): Promise<void> {
    await this.execute('alipay.trade.close', { out_trade_no: orderId });
  }

  /** The number of the refund request is the order's id, so that Alipay refunds once. */
  async refund({ orderId, amount }: PayableOrder): Promise<boolean> {
    const request = { out_trade_no: orderId, out_request_no: orderId };
    const { fund_change: fundChange } = await this.execute('alipay.trade.refund', {
      ...request,
      refund_amount: toYuan(amount),
    });
    if (fundChange === 'Y') return true;
    const { refund_status: status } = await this.execute('alipay.trade.fastpay.refund.query', request);
    return status === 'REFUND_SUCCESS';
  }

  parseCallback({ body }: RawCallback): Promise<ProviderCallback> {
    return Promise.resolve().then(() => this.verify(Object.fromEntries(new URLSearchParams(body.toString()))));
  }

  private verify(form: Record<string, string>): ProviderCallback {
    // The SDK would also accept SHA-1, if the form asks for it.
    if (form.sign_type !== 'RSA2' || !this.sdk.checkNotifySignV2(form)) throw invalidCallback('The signature is wrong');
    const { app_id: appId, notify_id: callbackId, out_trade_no: orderId, trade_status: status } = form;
    if (appId !== this.settings.appId) throw invalidCallback('The notification is for another app');
    if (!callbackId || !orderId || !status) throw invalidCallback('The notification reports on no trade');
    const report = toReport({ orderId, status, totalAmount: form.total_amount, tradeNumber: form.trade_no });
    return { callbackId, report };
  }

  /** Executes a method whose response is signed. @throws Error unless it succeeds or Alipay does not know the trade */
  private async execute(
    method: string,
    bizContent: Record<string, string>,
  ): Promise<Record<string, string | undefined>> {
    const result = await this.sdk.exec(method, { bizContent }, { validateSign: true });
    const fields = Object.fromEntries(
      Object.entries(result).map(([name, value]) => [toSnakeCase(name), String(value)]),
    );
    if (fields.code !== SUCCESS_CODE && fields.sub_code !== UNKNOWN_TRADE)
      throw new Error(`${method} failed at Alipay: code ${fields.code}, ${fields.sub_code}`);
    return fields;
  }
}

function toReport({ orderId, status, totalAmount, tradeNumber }: Trade): PaymentReport {
  switch (status) {
    case 'TRADE_SUCCESS':
    case 'TRADE_FINISHED':
      return {
        orderId,
        outcome: 'PAID',
        amount: toFen(totalAmount),
        currency: CURRENCY,
        paymentRef: tradeNumber ?? null,
      };
    case 'TRADE_CLOSED':
      return { orderId, outcome: 'CLOSED' };
    default:
      return { orderId, outcome: 'WAITING' };
  }
}

function toYuan(fen: number): string {
  return (fen / 100).toFixed(2);
}

/** Returns an amount in fen; 0, which no order has, for text that is no amount. */
function toFen(yuan: string | undefined): number {
  return yuan !== undefined && /^\d{1,9}(\.\d{1,2})?$/.test(yuan) ? Math.round(Number(yuan) * 100) : 0;
}

function toChinaTime(time: number): string {
  return new Date(time + TIME_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
