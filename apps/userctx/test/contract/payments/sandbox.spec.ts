import { createHmac, randomUUID } from 'node:crypto';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx-infrastructure.js';
import {
  SANDBOX_SIGNATURE_HEADER,
  sandboxCallbackKey,
  SandboxProvider,
} from '../../../src/payments/providers/sandbox.provider.js';
import type { PayableOrder, RawCallback } from '../../../src/payments/providers/payment-provider.js';
import { openTestDependencies, UserctxTestEnvironment } from '../../support/userctx-test-environment.js';
import { describePaymentProvider, ODD_VALUES } from './payment-provider.contract.js';

const SECRET_KEY = 'the secret of the payment suites, long enough';

function signCallback(content: unknown): RawCallback {
  const body = Buffer.from(JSON.stringify(content));
  const signature = createHmac('sha256', sandboxCallbackKey(SECRET_KEY)).update(body).digest('hex');
  return { headers: { [SANDBOX_SIGNATURE_HEADER]: signature }, body };
}

describePaymentProvider('sandbox', async () => {
  const dependencies = await openTestDependencies();
  const environment = new UserctxTestEnvironment(dependencies);
  const { dataSource, schema } = dependencies.database;
  const provider = new SandboxProvider(new UserctxUnitOfWork(dataSource, schema), SECRET_KEY);

  async function stateOf({ orderId }: PayableOrder): Promise<string | undefined> {
    const [payment] = await environment.query<{ state: string }>(
      'SELECT state FROM userctx.sandbox_payment WHERE order_id = $1',
      [orderId],
    );
    return payment?.state;
  }

  return {
    provider,
    currency: 'EUR',
    prepare: async ({ orderId, title, amount, currency, expiresAt }) => {
      await environment.query(
        `INSERT INTO userctx.payment_order (order_id, family_id, product_id, kind, title, amount, currency, period_days,
           state, provider, created_at, expires_at, changed_at)
         VALUES ($1, $1, 'plan', 'WATCH_PLAN', $2, $3, $4, 30, 'CREATED', 'sandbox', 0, $5, 0)`,
        [orderId, title, amount, currency, expiresAt],
      );
    },
    pay: async (order) => {
      const { checkoutUrl } = await provider.startPayment(order, '');
      const payment = await provider.findByToken(checkoutUrl.split('/').at(-1) ?? '');
      await provider.perform(payment, 'pay', Date.now());
    },
    callbackFor: ({ orderId, amount, currency }, changes = {}) => {
      const report = { orderId, outcome: 'PAID', amount, currency, paymentRef: orderId, ...changes };
      return Promise.resolve(signCallback({ callbackId: randomUUID(), ...report }));
    },
    oddCallbacks: ({ orderId, amount, currency }) => {
      const report = { callbackId: 'odd', orderId, outcome: 'PAID', amount, currency, paymentRef: orderId };
      return [
        ...ODD_VALUES,
        { ...report, callbackId: 'a\0b' },
        { ...report, callbackId: '\ud800' },
        { ...report, orderId: [orderId] },
        { ...report, outcome: 'toString' },
        { ...report, amount: 1.5 },
        { ...report, paymentRef: {} },
      ].map(signCallback);
    },
    countRefunds: async (order) => ((await stateOf(order)) === 'REFUNDED' ? 1 : 0),
    stop: () => environment.close(),
  };
});
