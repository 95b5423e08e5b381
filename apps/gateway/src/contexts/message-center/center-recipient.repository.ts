import { Injectable } from '@nestjs/common';
import type { Subscription } from '@family-watch/domain/messages/contracts/subscription';
import { CenterRecipientEntity } from '@family-watch/domain/messages/entities/center-message.entities';
import { Any } from 'typeorm';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { INSERT_MISSING_RECIPIENTS } from './message-center.sql.js';

/**
 * Stores the recipients of center messages with their subscriptions. A user who never changed the subscription has no
 * stored subscription.
 */
@Injectable()
export class CenterRecipientRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Locks these users' center messages until the current transaction ends; returns their subscriptions. Inserts missing
   * rows first, then locks all rows in the order of their ids.
   */
  async lock(userIds: readonly string[]): Promise<Map<string, Subscription>> {
    const ids = [...new Set(userIds)];
    await this.unitOfWork.executor.query(INSERT_MISSING_RECIPIENTS, [ids]);
    const recipients = await this.table.find({
      where: { userId: Any(ids) },
      order: { userId: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    return toSubscriptionsByUser(recipients);
  }

  async findSubscriptions(userIds: readonly string[]): Promise<Map<string, Subscription>> {
    return toSubscriptionsByUser(await this.table.findBy({ userId: Any(userIds) }));
  }

  /** Stores the user's subscription. Must be called in the transaction that locked the user with {@link lock}. */
  async saveSubscription(userId: string, subscription: Subscription): Promise<void> {
    await this.table.update({ userId }, { subscription });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(CenterRecipientEntity);
  }
}

function toSubscriptionsByUser(recipients: readonly CenterRecipientEntity[]): Map<string, Subscription> {
  return new Map(recipients.flatMap(({ userId, subscription }) => (subscription ? [[userId, subscription]] : [])));
}
