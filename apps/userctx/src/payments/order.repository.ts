import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan, Like, MoreThan } from 'typeorm';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ORDER_STATE, type PaymentProviderName } from '@family-watch/domain/payments/contracts/payment';
import { PaymentCallbackEntity, PaymentOrderEntity } from '@family-watch/domain/payments/entities/payment.entities';
import { findTimePage, insertIfAbsent } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';
import { ORDER_TRANSITIONS, type OrderTransition } from './order-state.js';

/** The number of attempts identifies the claim. */
const CLAIM_DUE_ORDERS = `
  UPDATE userctx.payment_order AS claimed SET due_at = $2, attempts = claimed.attempts + 1
   FROM (
     SELECT order_id FROM userctx.payment_order WHERE due_at <= $1 ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
   ) AS due
   WHERE claimed.order_id = due.order_id
   RETURNING claimed.order_id AS "orderId"`;

/** An order. Times are Unix milliseconds, amounts are in the minor unit of the currency. */
export type Order = PaymentOrderEntity;

export type NewOrder = Pick<
  Order,
  | 'orderId'
  | 'familyId'
  | 'cid'
  | 'by'
  | 'productId'
  | 'kind'
  | 'title'
  | 'amount'
  | 'currency'
  | 'cloudBytes'
  | 'periodDays'
  | 'createdAt'
  | 'expiresAt'
>;

/** Columns that change with a transition. */
export type TransitionFields = Partial<
  Pick<Order, 'providerRef' | 'paymentRef' | 'checkoutUrl' | 'paidAt' | 'dueAt'>
> & { time: number };

/** Family of orders whose family was erased before they were settled. */
const NO_FAMILY_ID = '00000000-0000-0000-0000-000000000000';

@Injectable()
export class OrderRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async add(order: NewOrder): Promise<Order> {
    const { createdAt: changedAt, expiresAt: dueAt } = order;
    await this.orders.insert({ ...order, state: ORDER_STATE.CREATED, changedAt, dueAt });
    return this.orders.findOneByOrFail({ orderId: order.orderId });
  }

  find(orderId: string): Promise<Order | null> {
    return this.orders.findOneBy({ orderId });
  }

  /** Returns a page of the family's orders, newest first. */
  findPage(familyId: string, page: TimePageRequest): Promise<Page<Order>> {
    return findTimePage(this.orders, { familyId }, { time: 'createdAt', id: 'orderId' }, page);
  }

  /** Returns a page of the orders of all families, newest first. @param filter - all families and states if empty */
  findPageOfAll(filter: Partial<Pick<Order, 'familyId' | 'state'>>, page: TimePageRequest): Promise<Page<Order>> {
    return findTimePage(this.orders, filter, { time: 'createdAt', id: 'orderId' }, page);
  }

  countByFamily(familyId: string, since: number): Promise<number> {
    return this.orders.countBy({ familyId, createdAt: MoreThan(since) });
  }

  countByCreator(by: PrincipalKey, since: number): Promise<number> {
    return this.orders.countBy({ by, createdAt: MoreThan(since) });
  }

  /** Records who pays with which provider, unless the payment of the order has begun. Returns the order as stored. */
  async beginPayment(
    orderId: string,
    begun: { provider: PaymentProviderName; payerUserId: string; expiresAt: number },
  ): Promise<Order> {
    await this.orders.update(
      { orderId, state: ORDER_STATE.CREATED, provider: IsNull() },
      { ...begun, dueAt: begun.expiresAt },
    );
    return this.orders.findOneByOrFail({ orderId });
  }

  /**
   * Applies the transition and returns the order; exactly one of several concurrent calls succeeds. Returns null if the
   * transition is not allowed. Unless `dueAt` is given, the reconciliation has nothing more to do.
   */
  async transition(
    orderId: string,
    transition: OrderTransition,
    { time, dueAt = null, ...changes }: TransitionFields,
  ): Promise<Order | null> {
    const { from, to } = ORDER_TRANSITIONS[transition];
    const { affected } = await this.orders.update(
      { orderId, state: In(from) },
      { ...changes, state: to, changedAt: time, dueAt, attempts: 0 },
    );
    return affected === 1 ? this.orders.findOneBy({ orderId }) : null;
  }

  /** Claims due orders. A claimed order becomes due again at `until` unless {@link reschedule} changes this. */
  async claimDue(now: number, until: number, limit: number): Promise<Order[]> {
    const claimed = await this.unitOfWork.executor.query<{ orderId: string }>(CLAIM_DUE_ORDERS, [now, until, limit]);
    return this.orders.findBy({ orderId: In(claimed.map(({ orderId }) => orderId)) });
  }

  /**
   * Sets when the order is due again; null if the reconciliation has nothing more to do. Changes nothing if the order
   * has changed its state, or another replica has claimed it meanwhile.
   */
  async reschedule({ orderId, state, attempts }: Order, dueAt: number | null): Promise<void> {
    await this.orders.update({ orderId, state, attempts }, { dueAt });
  }

  /** Records a callback. Of several concurrent or repeated calls for the same callback, exactly one returns true. */
  insertCallback(provider: PaymentProviderName, callbackId: string, receivedAt: number): Promise<boolean> {
    return insertIfAbsent(this.callbacks, { provider, callbackId, receivedAt });
  }

  /** Removes the references to an erased account, and the address of its payment. */
  async clearUser(userId: string): Promise<void> {
    await this.orders.update({ by: `user:${userId}` }, { by: null });
    await this.orders.update({ payerUserId: userId }, { payerUserId: null, checkoutUrl: null });
  }

  /**
   * Deletes the unpaid orders of erased families. The provider may still receive the payment of an order that is not
   * settled. Such an order stays without references until it is old, so that the payment is returned.
   */
  async eraseUnpaid(familyIds: readonly string[]): Promise<void> {
    const ofFamilies = { familyId: In(familyIds) };
    const ended = In([ORDER_STATE.FAILED, ORDER_STATE.CLOSED]);
    await this.orders.delete([
      { ...ofFamilies, state: ORDER_STATE.CREATED, provider: IsNull() },
      { ...ofFamilies, state: ended, dueAt: IsNull() },
    ]);
    await this.orders.update(
      { ...ofFamilies, state: In([ORDER_STATE.CREATED, ORDER_STATE.PENDING, ORDER_STATE.FAILED, ORDER_STATE.CLOSED]) },
      { familyId: NO_FAMILY_ID, cid: null, by: null, payerUserId: null, checkoutUrl: null },
    );
  }

  /** Removes the references to an erased child and its watch. */
  async clearChild(familyId: string, cid: string): Promise<void> {
    await this.orders.update({ familyId, cid, by: Like<PrincipalKey>('watch:%') }, { by: null });
    await this.orders.update({ familyId, cid }, { cid: null });
  }

  /** Deletes callbacks, and orders that were never paid. Orders that were paid are kept for the accounts. */
  async deleteOld(before: number): Promise<void> {
    await this.callbacks.delete({ receivedAt: LessThan(before) });
    await this.orders.delete({ state: In([ORDER_STATE.FAILED, ORDER_STATE.CLOSED]), createdAt: LessThan(before) });
  }

  private get orders() {
    return this.unitOfWork.manager.getRepository(PaymentOrderEntity);
  }

  private get callbacks() {
    return this.unitOfWork.manager.getRepository(PaymentCallbackEntity);
  }
}
