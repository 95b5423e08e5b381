import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  readCallback,
  type PayableOrder,
  type PaymentProvider,
  type PaymentReport,
  type RawCallback,
} from '../../../src/payments/providers/payment-provider.js';

/** A payment provider under test, and a local server that takes the place of the provider's service. */
export interface PaymentProviderHarness {
  provider: PaymentProvider;
  /** Currency that the provider supports. */
  currency: string;
  /** Prepares an order as the service stores it before the payment begins. */
  prepare?(order: PayableOrder): Promise<void>;
  /** The payer pays the order, at the provider, through the checkout that `startPayment` has returned. */
  pay(order: PayableOrder): Promise<void>;
  /** Returns the genuine, signed callback that reports the payment of the order, with these fields instead of its own. */
  callbackFor(order: PayableOrder, changes?: { amount?: number; orderId?: string }): Promise<RawCallback>;
  /** Returns callbacks that are signed correctly, but for another merchant. Empty if each merchant has its own key. */
  foreignCallbacks?(order: PayableOrder): Promise<RawCallback[]>;
  /** Returns callbacks with a correct signature and a content that the provider never sends. */
  oddCallbacks(order: PayableOrder): readonly RawCallback[];
  /** Number of refunds that the provider has made for the order. */
  countRefunds(order: PayableOrder): Promise<number>;
  stop(): Promise<void>;
}

/** JSON that is no notification of any provider. */
export const ODD_VALUES: readonly unknown[] = [{}, [], [[]], [{ id: 'x' }], 0, 7, '', 'text', true, { id: null }];

const BASE_URL = 'https://family.example';

/** Contract of all payment providers. */
export function describePaymentProvider(name: string, start: () => Promise<PaymentProviderHarness>): void {
  describe(`payment provider ${name}`, () => {
    let harness: PaymentProviderHarness;
    beforeAll(async () => {
      harness = await start();
    });
    afterAll(() => harness.stop());

    /** Creates an order and begins its payment. */
    async function startOrder(): Promise<PayableOrder> {
      const order: PayableOrder = {
        orderId: randomUUID(),
        title: 'Cloud space & plan <1>',
        amount: 1_999,
        currency: harness.currency,
        expiresAt: Date.now() + 3_600_000,
        providerRef: null,
        paymentRef: null,
      };
      await harness.prepare?.(order);
      const { providerRef } = await harness.provider.startPayment(order, BASE_URL);
      return { ...order, providerRef };
    }

    async function payOrder(): Promise<PayableOrder> {
      const order = await startOrder();
      await harness.pay(order);
      const report = await harness.provider.findPayment(order);
      return { ...order, paymentRef: report.outcome === 'PAID' ? report.paymentRef : null };
    }

    const paid = ({ orderId, amount, currency }: PayableOrder): PaymentReport => {
      return { orderId, outcome: 'PAID', amount, currency, paymentRef: expect.any(String) as unknown as string };
    };

    const parse = (callback: RawCallback) => readCallback(harness.provider, callback);

    const rejection = expect.objectContaining({ reason: 'CALLBACK_INVALID' });

    test('returns the same checkout when a payment begins twice', async () => {
      const order = await startOrder();
      const [first, second] = [
        await harness.provider.startPayment(order, BASE_URL),
        await harness.provider.startPayment(order, BASE_URL),
      ];
      expect(new URL(first.checkoutUrl).protocol).toMatch(/^(https?|weixin):$/);
      expect(second.providerRef).toBe(first.providerRef);
    });

    test('reports a payment as waiting until it is made, then with amount, currency and reference', async () => {
      const order = await startOrder();
      expect(await harness.provider.findPayment(order)).toEqual({ orderId: order.orderId, outcome: 'WAITING' });
      await harness.pay(order);
      expect(await harness.provider.findPayment(order)).toEqual(paid(order));
    });

    test('reports a closed payment as closed, or as waiting if the payer never opened the checkout', async () => {
      const order = await startOrder();
      await harness.provider.closePayment(order);
      expect((await harness.provider.findPayment(order)).outcome).toMatch(/^(CLOSED|WAITING)$/);
    });

    test('does not close a payment that was made', async () => {
      const order = await payOrder();
      await expect(harness.provider.closePayment(order)).rejects.toThrow();
      expect(await harness.provider.findPayment(order)).toEqual(paid(order));
    });

    test('refunds a payment once, although the refund is requested twice', async () => {
      const order = await payOrder();
      expect(await harness.provider.refund(order)).toBe(true);
      expect(await harness.provider.refund(order)).toBe(true);
      expect(await harness.countRefunds(order)).toBe(1);
    });

    test('reads a genuine callback, and gives its copies the same id', async () => {
      const order = await payOrder();
      const callback = await harness.callbackFor(order);
      const first = await parse(callback);
      expect(first.report).toEqual(paid(order));
      expect(await parse(callback)).toEqual(first);
    });

    test('reports the amount and the order that the provider has signed', async () => {
      const order = await payOrder();
      const orderId = randomUUID();
      const { report } = await parse(await harness.callbackFor(order, { amount: 1, orderId }));
      expect(report).toEqual(paid({ ...order, amount: 1, orderId }));
    });

    test('rejects a callback with a changed byte in its body', async () => {
      const { headers, body } = await harness.callbackFor(await payOrder());
      const text = body.toString();
      const at = Math.floor(text.length / 2);
      const changed = text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1);
      await expect(parse({ headers, body: Buffer.from(changed) })).rejects.toEqual(rejection);
    });

    test('rejects callbacks without a signature and without a body', async () => {
      const { headers, body } = await harness.callbackFor(await payOrder());
      const unsigned = Buffer.from(body.toString().replace(/(^|&)sign=[^&]*/, ''));
      await expect(parse({ headers: {}, body: unsigned })).rejects.toEqual(rejection);
      await expect(parse({ headers, body: Buffer.alloc(0) })).rejects.toEqual(rejection);
      await expect(parse({ headers, body: Buffer.from('null') })).rejects.toEqual(rejection);
    });

    test('A44 rejects callbacks with a correct signature and an odd content as invalid', async () => {
      const odd = harness.oddCallbacks(await payOrder());
      expect(odd.length).toBeGreaterThan(5);
      for (const callback of odd) {
        const outcome = await parse(callback).then(
          ({ report }) => (report === null ? 'ignored' : `read ${JSON.stringify(report)}`),
          (error: unknown) => (error as { reason?: string }).reason ?? String(error),
        );
        expect([callback.body.toString(), outcome]).toEqual([
          callback.body.toString(),
          expect.stringMatching(/^(CALLBACK_INVALID|ignored)$/),
        ]);
      }
    });

    test('rejects genuine callbacks for another merchant', async () => {
      for (const callback of (await harness.foreignCallbacks?.(await payOrder())) ?? []) {
        await expect(parse(callback)).rejects.toEqual(rejection);
      }
    });
  });
}
