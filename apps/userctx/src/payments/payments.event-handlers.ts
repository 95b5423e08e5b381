import { Injectable, Logger } from '@nestjs/common';
import { ORDER_STATE, PRODUCT_KIND } from '@family-watch/domain/payments/contracts/payment';
import { OnEvent, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { FamilyRosterService } from '../families/family-roster.service.js';
import { EntitlementsService } from './entitlements.service.js';
import { OrderRepository, type Order } from './order.repository.js';
import { OrderTransitionsService } from './order-transitions.service.js';

/** Fulfils paid orders. Removes erased accounts and children from orders. */
@Injectable()
export class PaymentsEventHandlers {
  private readonly logger = new Logger(PaymentsEventHandlers.name);

  constructor(
    private readonly roster: FamilyRosterService,
    private readonly orders: OrderRepository,
    private readonly transitions: OrderTransitionsService,
    private readonly entitlements: EntitlementsService,
  ) {}

  /** Gives the family what a paid order contains. The order is refunded if the child or the family no longer exists. */
  @OnEvent('userctx.order.changed', { handler: 'userctx.payments.fulfil' })
  async fulfilOrder({ payload }: HandledEvent<'userctx.order.changed'>): Promise<void> {
    const { familyId, orderId, state } = payload;
    if (state !== ORDER_STATE.PAID) return;
    await this.roster.lock(familyId);
    const order = await this.orders.find(orderId);
    if (order?.state !== ORDER_STATE.PAID) return;
    const time = Date.now();
    if (!(await this.hasBeneficiary(order))) {
      this.logger.warn({ msg: 'Paid order has no beneficiary, refunding', orderId });
      await this.transitions.apply(orderId, 'REFUND', { time, dueAt: time });
    } else if (await this.transitions.apply(orderId, 'FULFIL', { time })) {
      await this.entitlements.grant(order, time);
    }
  }

  /**
   * Removes the references to an erased account, the unpaid orders of the erased families, and what these have bought: a
   * later change of it would create their clouds again.
   */
  @OnEvent('userctx.account.erased', { handler: 'userctx.payments.erase-account' })
  async clearAccount({ payload: { userId, familyIds } }: HandledEvent<'userctx.account.erased'>): Promise<void> {
    await this.orders.clearUser(userId);
    await this.orders.eraseUnpaid(familyIds);
    await this.entitlements.removeFamilies(familyIds);
  }

  /** Ends the plans of an erased child, and removes the references to the child. */
  @OnEvent('userctx.child.erased', { handler: 'userctx.payments.erase-child' })
  async clearChild({ payload: { familyId, cid } }: HandledEvent<'userctx.child.erased'>): Promise<void> {
    await this.entitlements.removeChild(familyId, cid, Date.now());
    await this.orders.clearChild(familyId, cid);
  }

  private async hasBeneficiary({ kind, familyId, cid }: Order): Promise<boolean> {
    if (kind === PRODUCT_KIND.CLOUD_SPACE) return (await this.roster.findMembers(familyId)).length > 0;
    return cid !== null && (await this.roster.findChild(cid))?.familyId === familyId;
  }
}
