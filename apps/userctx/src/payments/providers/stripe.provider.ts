import Stripe from 'stripe';
import { PAYMENT_PROVIDER } from '@family-watch/domain/payments/contracts/payment';
import {
  invalidCallback,
  PROVIDER_TIMEOUT_MS,
  requireHeader,
  type PayableOrder,
  type PaymentProvider,
  type PaymentReport,
  type ProviderCallback,
  type RawCallback,
} from './payment-provider.js';

export interface StripeSettings {
  secretKey: string;
  /** Secret of the webhook endpoint, which signs the callbacks. */
  webhookSecret: string;
  /** Page that Stripe opens after the payment. */
  returnUrl: string;
  /** Only in tests; absent for Stripe's own URL. */
  apiUrl?: string;
}

/**
 * Currencies whose minor unit at Stripe is not that of ISO 4217 (ISK and UGX have two decimals there, MGA none), or whose
 * amounts Stripe restricts (currencies with three decimals).
 */
const UNSUPPORTED_CURRENCIES = ['BHD', 'ISK', 'JOD', 'KWD', 'MGA', 'OMR', 'TND', 'UGX'];

type CheckoutSession = Stripe.Checkout.Session;

/** Payments by Stripe Checkout. Requests are idempotent by Stripe's idempotency keys. */
export class StripeProvider implements PaymentProvider {
  readonly name = PAYMENT_PROVIDER.STRIPE;
  readonly callbackResponse = { contentType: 'application/json', body: '{}' };
  private readonly stripe: Stripe;

  constructor(private readonly settings: StripeSettings) {
    this.stripe = new Stripe(settings.secretKey, {
      timeout: PROVIDER_TIMEOUT_MS,
      maxNetworkRetries: 1,
      telemetry: false,
      ...toConnectionOptions(settings.apiUrl),
    });
  }

  supportsCurrency(currency: string): boolean {
    return !UNSUPPORTED_CURRENCIES.includes(currency);
  }

  async startPayment({ orderId, title, amount, currency, expiresAt }: PayableOrder) {
    const session = await this.stripe.checkout.sessions.create(
      {
        mode: 'payment',
        client_reference_id: orderId,
        metadata: { orderId },
        line_items: [
          {
            quantity: 1,
            price_data: { currency: currency.toLowerCase(), unit_amount: amount, product_data: { name: title } },
          },
        ],
        success_url: this.settings.returnUrl,
        cancel_url: this.settings.returnUrl,
        expires_at: Math.floor(expiresAt / 1_000),
      },
      { idempotencyKey: `pay-${orderId}` },
    );
    if (!session.url) throw new Error('Stripe returned no URL for the checkout');
    return { checkoutUrl: session.url, providerRef: session.id };
  }

  async findPayment({ orderId, providerRef }: PayableOrder): Promise<PaymentReport> {
    // Without a stored session, no payer has received its URL.
    if (providerRef === null) return { orderId, outcome: 'WAITING' };
    const session = await this.stripe.checkout.sessions.retrieve(providerRef, { expand: ['payment_intent'] });
    const { status, payment_status: paymentStatus, payment_intent: payment } = session;
    if (paymentStatus !== 'unpaid') return toPaidReport(session);
    if (status === 'complete') return { orderId, outcome: hasFailed(payment) ? 'FAILED' : 'PROCESSING' };
    return { orderId, outcome: status === 'expired' ? 'CLOSED' : 'WAITING' };
  }

  async closePayment({ providerRef }: PayableOrder): Promise<void> {
    if (providerRef !== null) await this.stripe.checkout.sessions.expire(providerRef);
  }

  async refund({ orderId, paymentRef }: PayableOrder): Promise<boolean> {
    if (paymentRef === null) throw new Error('The order has no payment at Stripe');
    const { data } = await this.stripe.refunds.list({ payment_intent: paymentRef, limit: 100 });
    // Refunds that a person has created in Stripe's dashboard may be partial.
    const own = data.filter(({ metadata }) => metadata?.orderId === orderId);
    const current = own.find(({ status }) => status !== 'failed' && status !== 'canceled');
    const refund =
      current ??
      (await this.stripe.refunds.create(
        { payment_intent: paymentRef, metadata: { orderId } },
        { idempotencyKey: `refund-${orderId}-${own.length}` },
      ));
    return refund.status === 'succeeded';
  }

  async parseCallback(callback: RawCallback): Promise<ProviderCallback> {
    const event = await this.verify(callback);
    // A key of the test mode must not confirm payments of the live mode, and vice versa.
    if (event.livemode !== /^[sr]k_live_/.test(this.settings.secretKey)) throw invalidCallback('Another mode');
    return { callbackId: event.id, report: toReport(event) };
  }

  private async verify(callback: RawCallback): Promise<Stripe.Event> {
    const signature = requireHeader(callback, 'stripe-signature');
    try {
      return await this.stripe.webhooks.constructEventAsync(callback.body, signature, this.settings.webhookSecret);
    } catch (error) {
      throw invalidCallback((error as Error).message);
    }
  }
}

/** Returns whether a payment with a delayed method did not succeed. */
function hasFailed(payment: CheckoutSession['payment_intent']): boolean {
  if (payment === null || typeof payment === 'string') return false;
  return payment.status === 'requires_payment_method' || payment.status === 'canceled';
}

/**
 * Returns what an event reports; null for an event that reports nothing about an order. Stripe sends the events of all
 * checkouts of its account, also those that other services have created.
 */
function toReport(event: Stripe.Event): PaymentReport | null {
  const isCheckout = event.type.startsWith('checkout.session.');
  if (isCheckout && !isOwn(event.data.object as CheckoutSession)) return null;
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      // A completed checkout with a delayed payment method is not paid yet.
      return event.data.object.payment_status === 'unpaid' ? null : toPaidReport(event.data.object);
    case 'checkout.session.async_payment_failed':
      return { orderId: orderIdOf(event.data.object), outcome: 'FAILED' };
    case 'checkout.session.expired':
      return { orderId: orderIdOf(event.data.object), outcome: 'CLOSED' };
    default:
      return null;
  }
}

/** Returns whether this service has created the checkout. */
function isOwn({ client_reference_id: reference, metadata }: CheckoutSession): boolean {
  return metadata?.['orderId'] !== undefined && metadata['orderId'] === reference;
}

function toPaidReport(session: CheckoutSession): PaymentReport {
  const { amount_total: amount, currency, payment_intent: payment } = session;
  const paymentRef = typeof payment === 'string' ? payment : (payment?.id ?? null);
  return {
    orderId: orderIdOf(session),
    outcome: 'PAID',
    amount: amount ?? 0,
    currency: (currency ?? '').toUpperCase(),
    paymentRef,
  };
}

function orderIdOf({ client_reference_id: orderId }: CheckoutSession): string {
  return orderId ?? '';
}

function toConnectionOptions(apiUrl: string | undefined): Pick<Stripe.StripeConfig, 'host' | 'port' | 'protocol'> {
  if (apiUrl === undefined) return {};
  const { hostname: host, port, protocol } = new URL(apiUrl);
  return { host, ...(port ? { port } : {}), protocol: protocol === 'http:' ? 'http' : 'https' };
}
