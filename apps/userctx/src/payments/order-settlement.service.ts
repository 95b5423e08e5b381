import { Injectable, Logger } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { ORDER_STATE, type PaymentProviderName } from '@family-watch/domain/payments/contracts/payment';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { continueAsCaller } from '@family-watch/platform/concurrency/work-priority';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { EntitlementRepository } from './entitlement.repository.js';
import { OrderRepository, type Order } from './order.repository.js';
import { OrderTransitionsService } from './order-transitions.service.js';
import { pauseMs } from './order-state.js';
import { PaymentProviders } from './providers/payment-providers.js';
import {
  invalidCallback,
  readCallback,
  type CallbackResponse,
  type PaymentProvider,
  type PaymentReport,
  type ProviderCallback,
  type RawCallback,
} from './providers/payment-provider.js';

/** Name of the job that asks providers about unsettled orders. */
export const RECONCILIATION_JOB = 'userctx.payments.reconcile';
const RECONCILIATION_INTERVAL_MS = 2_000;
const BATCH_SIZE = 20;
/** Milliseconds for which a claimed order is not claimed again; longer than the requests to the provider take. */
const CLAIM_TTL_MS = 60_000;
/**
 * Milliseconds after the end of a closed order's checkout until which the provider is asked about a late payment. Not
 * every provider can end a checkout before its time, and the callback of a late payment may be lost.
 */
const LATE_PAYMENT_MS = 10 * 60_000;
/** Number of attempts after which an order needs a person. */
const ATTEMPTS_BEFORE_ERROR = 10;
const CLEANUP_INTERVAL_MS = 3_600_000;
/** Milliseconds after which callbacks, unpaid orders and ended entitlements are deleted: 90 days. */
const RETENTION_MS = 90 * 24 * 3_600_000;

/**
 * Applies what providers say about payments, in callbacks or when they are asked. A report changes an order only if
 * provider, amount and currency are those of the order.
 */
@Injectable()
export class OrderSettlementService {
  private readonly logger = new Logger(OrderSettlementService.name);
  private readonly callbacksInProgress = new Map<string, Promise<void>>();

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly orders: OrderRepository,
    private readonly transitions: OrderTransitionsService,
    private readonly entitlements: EntitlementRepository,
    private readonly providers: PaymentProviders,
    private readonly jobs: JobScheduler,
  ) {}

  /**
   * Processes a callback once. A repetition is answered without work.
   * @throws ServiceError CALLBACK_INVALID for a callback that is not genuine or does not match an order
   * @throws ServiceError ROUTE_NOT_FOUND for a provider that is not configured
   */
  async receiveCallback(providerName: string, callback: RawCallback): Promise<CallbackResponse> {
    const provider = this.providers.find(providerName);
    if (!provider) throw new ServiceError('ROUTE_NOT_FOUND');
    const { callbackId, report } = await this.verify(provider, callback);
    // The signature authenticates the provider.
    continueAsCaller(undefined);
    try {
      await this.processOnce(provider.name, callbackId, report);
    } catch (error) {
      // A genuine callback that does not match an order needs a person.
      if (isInvalidCallback(error))
        this.logger.error({
          msg: 'Payment callback does not match an order',
          provider: provider.name,
          err: error.cause,
        });
      throw error;
    }
    return provider.callbackResponse;
  }

  private async verify(provider: PaymentProvider, callback: RawCallback): Promise<ProviderCallback> {
    try {
      return await readCallback(provider, callback);
    } catch (error) {
      // Everybody can send callbacks without a valid signature, so that these are no warning.
      if (isInvalidCallback(error))
        this.logger.debug({ msg: 'Payment callback rejected', provider: provider.name, err: error.cause });
      throw error;
    }
  }

  /** Concurrent copies of a callback share one transaction, so that they do not occupy the database connections. */
  private async processOnce(
    provider: PaymentProviderName,
    callbackId: string,
    report: PaymentReport | null,
  ): Promise<void> {
    const key = `${provider}:${callbackId}`;
    const current = this.callbacksInProgress.get(key);
    if (current) return current;
    const processing = this.unitOfWork.runInNewTransaction(async () => {
      const now = Date.now();
      if (!(await this.orders.insertCallback(provider, callbackId, now))) return;
      if (report) await this.apply(provider, report, now);
    });
    this.callbacksInProgress.set(key, processing);
    try {
      await processing;
    } finally {
      this.callbacksInProgress.delete(key);
    }
  }

  /**
   * Asks the provider about the orders that are due: orders that wait for a payment, with growing pauses until their
   * end, and orders that wait for a refund.
   */
  @OnJob(RECONCILIATION_JOB, { intervalMs: RECONCILIATION_INTERVAL_MS })
  async reconcileDue(now: number): Promise<void> {
    for (;;) {
      const claimed = await this.orders.claimDue(now, now + CLAIM_TTL_MS, BATCH_SIZE);
      if (claimed.length === 0) return;
      await Promise.all(claimed.map((order) => this.reconcile(order, now)));
    }
  }

  @OnJob('userctx.payments.delete-old', { intervalMs: CLEANUP_INTERVAL_MS })
  async deleteOld(now: number): Promise<void> {
    await this.orders.deleteOld(now - RETENTION_MS);
    await this.entitlements.deleteEndedBefore(now - RETENTION_MS);
  }

  /**
   * Ends the payment at the provider and closes the order, unless the provider has received the payment.
   * @returns false if the provider processes a payment, so that the order can neither be closed nor is it paid
   */
  async close(order: Order, now: number): Promise<boolean> {
    const provider = this.providers.find(order.provider);
    if (provider) {
      const report = await provider.findPayment(order);
      if (report.outcome === 'PROCESSING') return false;
      if (report.outcome !== 'WAITING') {
        await this.unitOfWork.run(() => this.apply(provider.name, report, now));
        return true;
      }
      await provider.closePayment(order);
    }
    // A concurrent request may have begun the payment meanwhile, so that each closed order is checked once more.
    const dueAt = now + pauseMs(1);
    await this.unitOfWork.run(() => this.transitions.apply(order.orderId, 'CLOSE', { time: now, dueAt }));
    return true;
  }

  private async reconcile(order: Order, now: number): Promise<void> {
    const { orderId, state, attempts, provider } = order;
    const needsPerson = attempts >= ATTEMPTS_BEFORE_ERROR;
    try {
      if (await this.settle(order, now)) return;
      if (order.state === ORDER_STATE.REFUNDING && needsPerson)
        this.logger.error({ msg: 'The provider has not completed a refund', orderId, attempts, provider });
    } catch (error) {
      this.logger[needsPerson ? 'error' : 'warn']({
        msg: 'Reconciliation of an order failed',
        orderId,
        state,
        attempts,
        provider,
        err: error,
      });
    }
    const next = now + pauseMs(order.attempts);
    const isOpen = state !== ORDER_STATE.REFUNDING && now < order.expiresAt;
    await this.orders.reschedule(order, isOpen ? Math.min(next, order.expiresAt) : next);
  }

  /** Returns false if the order must be processed again later. */
  private async settle(order: Order, now: number): Promise<boolean> {
    const provider = this.providers.find(order.provider);
    if (order.provider !== null && !provider) throw new Error('The provider of the order is not configured');
    if (order.state === ORDER_STATE.REFUNDING) return provider !== undefined && this.refund(order, provider, now);
    if (order.state === ORDER_STATE.CLOSED) return this.settleClosed(order, provider, now);
    if (now >= order.expiresAt) return this.close(order, now);
    const report: PaymentReport | undefined = await provider?.findPayment(order);
    if (!provider || !report || report.outcome === 'WAITING' || report.outcome === 'PROCESSING') return false;
    await this.unitOfWork.run(() => this.apply(provider.name, report, now));
    return true;
  }

  /** Asks for a payment that arrived after the order was closed, and returns it. */
  private async settleClosed(order: Order, provider: PaymentProvider | undefined, now: number): Promise<boolean> {
    const report = await provider?.findPayment(order);
    if (provider && report?.outcome === 'PAID') {
      await this.unitOfWork.run(() => this.apply(provider.name, report, now));
      return true;
    }
    if (report?.outcome === 'PROCESSING') return false;
    if (report?.outcome === 'WAITING' && now < order.expiresAt + LATE_PAYMENT_MS) return false;
    await this.orders.reschedule(order, null);
    return true;
  }

  private async refund(order: Order, provider: PaymentProvider, now: number): Promise<boolean> {
    if (!(await provider.refund(order))) return false;
    await this.unitOfWork.run(() => this.transitions.apply(order.orderId, 'COMPLETE_REFUND', { time: now }));
    return true;
  }

  /** @throws ServiceError CALLBACK_INVALID if the report does not match an order of this provider */
  private async apply(provider: PaymentProviderName, report: PaymentReport, now: number): Promise<void> {
    const order = isUuid(report.orderId) ? await this.orders.find(report.orderId) : null;
    if (!order || order.provider !== provider) throw invalidCallback('No order of this provider has this id');
    const { orderId } = order;
    switch (report.outcome) {
      case 'WAITING':
      case 'PROCESSING':
        return;
      case 'FAILED':
        await this.transitions.apply(orderId, 'FAIL', { time: now });
        return;
      case 'CLOSED':
        await this.transitions.apply(orderId, 'CLOSE', { time: now });
        return;
      case 'PAID': {
        if (report.amount !== order.amount || report.currency !== order.currency)
          throw invalidCallback(`The payment of order ${orderId} has another amount or currency`);
        const payment = { time: now, paidAt: now, paymentRef: report.paymentRef };
        if (await this.transitions.apply(orderId, 'PAY', payment)) return;
        const returned = await this.transitions.apply(orderId, 'RETURN', { ...payment, dueAt: now });
        if (!returned) return;
        this.logger.warn({ msg: 'Payment arrived after the end of the order, refunding', orderId });
        this.unitOfWork.afterCommit(() => this.jobs.trigger(RECONCILIATION_JOB));
      }
    }
  }
}

function isInvalidCallback(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.reason === 'CALLBACK_INVALID';
}
