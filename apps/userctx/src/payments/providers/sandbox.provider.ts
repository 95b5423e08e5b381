import { createHmac, timingSafeEqual } from 'node:crypto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { PAYMENT_PROVIDER } from '@family-watch/domain/payments/contracts/payment';
import { deriveKey } from '@family-watch/platform/auth/secret-box';
import type { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { SandboxPaymentRepository, type SandboxPayment } from './sandbox-payment.repository.js';
import {
  invalidCallback,
  parseCallbackJson,
  requireHeader,
  type PayableOrder,
  type PaymentProvider,
  type PaymentReport,
  type ProviderCallback,
  type RawCallback,
} from './payment-provider.js';

export type { SandboxPayment } from './sandbox-payment.repository.js';

/** What the payer does on the page of the sandbox. */
export const SANDBOX_ACTION = { PAY: 'pay', REFUSE: 'refuse', DELAY: 'delay' } as const;
export type SandboxAction = (typeof SANDBOX_ACTION)[keyof typeof SANDBOX_ACTION];

/** Milliseconds until a delayed payment is paid. */
const SANDBOX_DELAY_MS = 15_000;

/** Header with the HMAC-SHA256 of the body of a callback, hexadecimal. */
export const SANDBOX_SIGNATURE_HEADER = 'x-sandbox-signature';

/** Returns the key with which the sandbox signs callbacks. */
export function sandboxCallbackKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'payments/sandbox-callbacks');
}

/**
 * A provider without money: the payer pays, refuses or delays the payment on a page of the service. Its callbacks are
 * signed and processed like those of other providers.
 */
export class SandboxProvider implements PaymentProvider {
  readonly name = PAYMENT_PROVIDER.SANDBOX;
  readonly callbackResponse = { contentType: 'application/json', body: '{}' };
  private readonly linkKey: Buffer;
  private readonly callbackKey: Buffer;
  private readonly payments: SandboxPaymentRepository;

  constructor(unitOfWork: UserctxUnitOfWork, secretKey: string) {
    this.payments = new SandboxPaymentRepository(unitOfWork);
    this.linkKey = deriveKey(secretKey, 'payments/sandbox-links');
    this.callbackKey = sandboxCallbackKey(secretKey);
  }

  supportsCurrency(): boolean {
    return true;
  }

  async startPayment({ orderId, title, amount, currency }: PayableOrder, baseUrl: string) {
    await this.payments.addIfAbsent({ orderId, title, amount, currency });
    const token = `${orderId}.${this.linkMac(orderId).toString('base64url')}`;
    return { checkoutUrl: `${baseUrl}/apis/v2/payment/sandbox/${token}`, providerRef: null };
  }

  async findPayment({ orderId }: PayableOrder): Promise<PaymentReport> {
    await this.payments.payDelayed(orderId, Date.now());
    const payment = await this.payments.find(orderId);
    return payment ? toReport(payment) : { orderId, outcome: 'WAITING' };
  }

  async closePayment({ orderId }: PayableOrder): Promise<void> {
    await this.payments.close(orderId);
    const payment = await this.payments.find(orderId);
    if (payment?.state === 'PAID') throw new Error('The order was paid in the sandbox');
  }

  async refund({ orderId }: PayableOrder): Promise<boolean> {
    await this.payments.refund(orderId);
    return true;
  }

  parseCallback(callback: RawCallback): Promise<ProviderCallback> {
    return Promise.resolve().then(() => this.verify(callback));
  }

  /** Returns the payment of a link. @throws ServiceError LINK_NOT_FOUND */
  async findByToken(token: string): Promise<SandboxPayment> {
    const [orderId = '', mac = ''] = token.split('.');
    const isGenuine = isUuid(orderId) && isEqual(Buffer.from(mac, 'base64url'), this.linkMac(orderId));
    const payment = isGenuine ? await this.payments.find(orderId) : null;
    if (!payment) throw new ServiceError('LINK_NOT_FOUND');
    return payment;
  }

  /**
   * Applies what the payer chose. Returns the callback for the service, or null if the payment can no longer be made or
   * is paid later.
   */
  async perform({ orderId }: SandboxPayment, action: SandboxAction, now: number): Promise<RawCallback | null> {
    const state = ({ pay: 'PAID', refuse: 'REFUSED', delay: 'DELAYED' } as const)[action];
    const paysAt = action === SANDBOX_ACTION.DELAY ? now + SANDBOX_DELAY_MS : null;
    const payment = await this.payments.decide(orderId, { state, paysAt });
    return payment && action !== SANDBOX_ACTION.DELAY ? this.sign(toReport(payment)) : null;
  }

  private sign(report: PaymentReport): RawCallback {
    const body = Buffer.from(JSON.stringify({ callbackId: `${report.orderId}:${report.outcome}`, ...report }));
    return { headers: { [SANDBOX_SIGNATURE_HEADER]: this.callbackMac(body).toString('hex') }, body };
  }

  private verify(callback: RawCallback): ProviderCallback {
    const signature = Buffer.from(requireHeader(callback, SANDBOX_SIGNATURE_HEADER), 'hex');
    if (!isEqual(signature, this.callbackMac(callback.body))) throw invalidCallback('The signature is wrong');
    const { callbackId, ...report } = parseCallbackJson(callback.body.toString());
    return { callbackId: String(callbackId), report: report as unknown as PaymentReport };
  }

  private linkMac(orderId: string): Buffer {
    return createHmac('sha256', this.linkKey).update(orderId).digest().subarray(0, 16);
  }

  private callbackMac(body: Buffer): Buffer {
    return createHmac('sha256', this.callbackKey).update(body).digest();
  }
}

function toReport({ orderId, state, amount, currency }: SandboxPayment): PaymentReport {
  if (state === 'PAID' || state === 'REFUNDED') {
    return { orderId, outcome: 'PAID', amount, currency, paymentRef: orderId };
  }
  if (state === 'REFUSED') return { orderId, outcome: 'FAILED' };
  return { orderId, outcome: state === 'CLOSED' ? 'CLOSED' : 'WAITING' };
}

function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
