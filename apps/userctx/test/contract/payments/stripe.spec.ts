import { createHmac, randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { PayableOrder, RawCallback } from '../../../src/payments/providers/payment-provider.js';
import { StripeProvider } from '../../../src/payments/providers/stripe.provider.js';
import { describePaymentProvider, ODD_VALUES } from './payment-provider.contract.js';
import { StandInServer, type StandInRequest, type StandInResponse } from '../../support/stand-in-server.js';

const SECRET_KEY = 'sk_test_family';
const WEBHOOK_SECRET = 'whsec_family';

interface Session {
  id: string;
  object: 'checkout.session';
  url: string;
  client_reference_id: string;
  amount_total: number;
  currency: string;
  metadata: Record<string, string>;
  payment_intent: string | { id: string; status: string } | null;
  payment_status: 'paid' | 'unpaid';
  status: 'open' | 'complete' | 'expired';
}

/** Takes the place of Stripe's API: checkout sessions and refunds, with idempotency keys. */
class StripeStandIn {
  private readonly sessions = new Map<string, Session>();
  private readonly idByKey = new Map<string, string>();
  readonly refunds = new Map<string, { id: string; status: string; metadata: object }[]>();

  respond({ method, url: path, headers, body }: StandInRequest): StandInResponse {
    const url = new URL(path, 'http://stripe');
    const form = new URLSearchParams(body);
    if (headers.authorization !== `Bearer ${SECRET_KEY}`) return error(401, 'invalid key');
    if (url.pathname === '/v1/checkout/sessions') return ok(this.create(String(headers['idempotency-key']), form));
    if (url.pathname === '/v1/refunds' && method === 'GET')
      return ok({ object: 'list', data: this.refunds.get(url.searchParams.get('payment_intent') ?? '') ?? [] });
    if (url.pathname === '/v1/refunds') {
      const metadata = { orderId: form.get('metadata[orderId]') };
      const refund = { id: `re_${randomUUID()}`, status: 'succeeded', metadata };
      const payment = form.get('payment_intent') ?? '';
      this.refunds.set(payment, [...(this.refunds.get(payment) ?? []), refund]);
      return ok(refund);
    }
    const [, id = '', action] = /^\/v1\/checkout\/sessions\/(\w+)(\/expire)?$/.exec(url.pathname) ?? [];
    const session = this.sessions.get(id);
    if (!session) return error(404, 'no such session');
    if (action && session.status !== 'open') return error(400, 'only open sessions can be expired');
    if (action) session.status = 'expired';
    return ok(session);
  }

  private create(key: string, form: URLSearchParams): Session {
    const id = this.idByKey.get(key) ?? `cs_test_${randomUUID().replaceAll('-', '')}`;
    this.idByKey.set(key, id);
    const session = this.sessions.get(id) ?? {
      id,
      object: 'checkout.session',
      url: `https://checkout.stripe.com/c/pay/${id}`,
      client_reference_id: form.get('client_reference_id') ?? '',
      amount_total: Number(form.get('line_items[0][price_data][unit_amount]')),
      currency: form.get('line_items[0][price_data][currency]') ?? '',
      metadata: { orderId: form.get('metadata[orderId]') ?? '' },
      payment_intent: null,
      payment_status: 'unpaid',
      status: 'open',
    };
    this.sessions.set(id, session);
    return session;
  }

  sessionOf({ providerRef }: PayableOrder): Session {
    const session = this.sessions.get(providerRef ?? '');
    if (!session) throw new Error('The order has no session');
    return session;
  }

  pay(order: PayableOrder): void {
    const paid = { payment_intent: `pi_${order.orderId}`, payment_status: 'paid', status: 'complete' } as const;
    Object.assign(this.sessionOf(order), paid);
  }
}

const ok = (body: object): StandInResponse => ({ status: 200, body: JSON.stringify(body) });
const error = (status: number, message: string): StandInResponse => ({
  status,
  body: JSON.stringify({ error: { message, type: 'invalid_request_error' } }),
});

/** Signs as Stripe's documentation describes: an HMAC-SHA256 over time, a dot, and the body. */
function signCallback(payload: unknown, { secret = WEBHOOK_SECRET, time = Date.now() } = {}): RawCallback {
  const body = Buffer.from(JSON.stringify(payload));
  const t = Math.floor(time / 1_000);
  const v1 = createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex');
  return { headers: { 'stripe-signature': `t=${t},v1=${v1}` }, body };
}

function eventOf(type: string, object: object, changes: object = {}): object {
  return { id: `evt_${randomUUID()}`, object: 'event', type, livemode: false, data: { object }, ...changes };
}

const COMPLETED = 'checkout.session.completed';

describePaymentProvider('stripe', async () => {
  const stripe = new StripeStandIn();
  const server = await StandInServer.start((request) => stripe.respond(request));
  const provider = createProvider(server.origin);
  return {
    provider,
    currency: 'EUR',
    pay: (order) => {
      stripe.pay(order);
      return Promise.resolve();
    },
    callbackFor: (order, { amount, orderId } = {}) => {
      const session = stripe.sessionOf(order);
      const changes = {
        ...(amount === undefined ? {} : { amount_total: amount }),
        ...(orderId === undefined ? {} : { client_reference_id: orderId, metadata: { orderId } }),
      };
      return Promise.resolve(signCallback(eventOf(COMPLETED, { ...session, ...changes })));
    },
    foreignCallbacks: (order) => {
      const event = eventOf(COMPLETED, stripe.sessionOf(order));
      const live = eventOf(COMPLETED, stripe.sessionOf(order), { livemode: true });
      return Promise.resolve([signCallback(event, { secret: 'whsec_other' }), signCallback(live)]);
    },
    oddCallbacks: (order) => {
      const session = stripe.sessionOf(order);
      return [
        ...ODD_VALUES,
        { id: 'evt_1', type: COMPLETED, livemode: false },
        { id: 'evt_1', type: COMPLETED, livemode: false, data: null },
        { id: 'evt_1', type: COMPLETED, livemode: false, data: { object: null } },
        { id: 'evt_1', type: 7, livemode: false, data: { object: session } },
        { id: {}, type: COMPLETED, livemode: false, data: { object: session } },
        eventOf(COMPLETED, { ...session, metadata: 'orderId' }),
        eventOf(COMPLETED, { ...session, currency: 7 }),
        eventOf(COMPLETED, { ...session, amount_total: '1999' }),
        eventOf(COMPLETED, { ...session, payment_intent: { id: 7 } }),
      ].map((event) => signCallback(event));
    },
    countRefunds: ({ paymentRef }) => Promise.resolve(stripe.refunds.get(paymentRef ?? '')?.length ?? 0),
    stop: () => server.stop(),
  };
});

function createProvider(apiUrl?: string): StripeProvider {
  return new StripeProvider({
    secretKey: SECRET_KEY,
    webhookSecret: WEBHOOK_SECRET,
    returnUrl: 'https://family.example',
    apiUrl,
  });
}

test('a callback of Stripe that was signed more than five minutes ago is rejected', async () => {
  const callback = signCallback(eventOf(COMPLETED, {}), { time: Date.now() - 301_000 });
  await expect(createProvider().parseCallback(callback)).rejects.toMatchObject({ reason: 'CALLBACK_INVALID' });
});

test.each([
  [COMPLETED, 'unpaid', null],
  ['checkout.session.async_payment_succeeded', 'paid', 'PAID'],
  ['checkout.session.async_payment_failed', 'unpaid', 'FAILED'],
  ['checkout.session.expired', 'unpaid', 'CLOSED'],
  ['charge.refunded', 'paid', null],
])('the event %s of Stripe with the payment status %s reports %s', async (type, status, outcome) => {
  const own = { client_reference_id: 'order', metadata: { orderId: 'order' } };
  const session = { ...own, amount_total: 5, currency: 'eur', payment_status: status };
  const { report } = await createProvider().parseCallback(signCallback(eventOf(type, session)));
  expect(report?.outcome ?? null).toBe(outcome);
});

test.each([
  { client_reference_id: randomUUID(), metadata: {} },
  { client_reference_id: randomUUID(), metadata: { orderId: randomUUID() } },
  { client_reference_id: null, metadata: null },
])('a checkout of another service at the same Stripe account reports nothing: %j', async (session) => {
  for (const type of [COMPLETED, 'checkout.session.async_payment_failed', 'checkout.session.expired']) {
    const event = eventOf(type, { ...session, amount_total: 5, currency: 'eur', payment_status: 'paid' });
    expect((await createProvider().parseCallback(signCallback(event))).report).toBeNull();
  }
});

test.each([
  ['processing', 'PROCESSING'],
  ['requires_payment_method', 'FAILED'],
  ['canceled', 'FAILED'],
])('a completed checkout whose delayed payment is %s at Stripe is %s', async (status, outcome) => {
  const stripe = new StripeStandIn();
  const server = await StandInServer.start((request) => stripe.respond(request));
  const provider = createProvider(server.origin);
  const order = { orderId: randomUUID(), title: 'Plan', amount: 5, currency: 'EUR', expiresAt: Date.now() + 3_600_000 };
  const unpaid = { ...order, providerRef: null, paymentRef: null };
  const { providerRef } = await provider.startPayment(unpaid);
  const pending = { ...unpaid, providerRef };
  Object.assign(stripe.sessionOf(pending), { status: 'complete', payment_intent: { id: 'pi_1', status } });
  expect(await provider.findPayment(pending)).toEqual({ orderId: order.orderId, outcome });
  await server.stop();
});

test('Stripe is not used for currencies whose minor unit it defines differently', () => {
  expect(['EUR', 'CNY', 'JPY', 'MGA', 'UGX'].map((currency) => createProvider().supportsCurrency(currency))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
