import { Injectable } from '@nestjs/common';
import { UserctxOutbox } from '../infrastructure/userctx-infrastructure.js';
import { OrderRepository, type NewOrder, type Order, type TransitionFields } from './order.repository.js';
import type { OrderTransition } from './order-state.js';

/** Changes the state of orders, each change with its event. Must be called in a transaction. */
@Injectable()
export class OrderTransitionsService {
  constructor(
    private readonly orders: OrderRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  async create(order: NewOrder): Promise<Order> {
    const created = await this.orders.add(order);
    await this.publish(created);
    return created;
  }

  /**
   * Applies the transition and returns the order. Exactly one of several concurrent calls succeeds; null if the
   * transition is not allowed in the state of the order.
   */
  async apply(orderId: string, transition: OrderTransition, fields: TransitionFields): Promise<Order | null> {
    const changed = await this.orders.transition(orderId, transition, fields);
    if (changed) await this.publish(changed);
    return changed;
  }

  private async publish({ familyId, cid, orderId, state, by, changedAt: time }: Order): Promise<void> {
    await this.outbox.appendForFamily('userctx.order.changed', { familyId, cid, orderId, state, by, time });
  }
}
