import { Injectable } from '@nestjs/common';
import type { Subscription } from '@family-watch/domain/messages/contracts/subscription';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

interface RecipientRow {
  userId: string;
  subscription: Subscription | null;
}

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
    await this.unitOfWork.executor.query(INSERT_MISSING, [ids]);
    return toSubscriptionsByUser(
      await this.unitOfWork.executor.query<RecipientRow>(`${SELECT_SUBSCRIPTIONS} ORDER BY user_id FOR UPDATE`, [ids]),
    );
  }

  async findSubscriptions(userIds: readonly string[]): Promise<Map<string, Subscription>> {
    return toSubscriptionsByUser(await this.unitOfWork.executor.query<RecipientRow>(SELECT_SUBSCRIPTIONS, [userIds]));
  }

  /** Stores the user's subscription. Must be called in the transaction that locked the user with {@link lock}. */
  async saveSubscription(userId: string, subscription: Subscription): Promise<void> {
    await this.unitOfWork.executor.query(
      'UPDATE gateway.center_reader SET subscription = $2::jsonb WHERE user_id = $1',
      [userId, JSON.stringify(subscription)],
    );
  }
}

function toSubscriptionsByUser(rows: readonly RecipientRow[]): Map<string, Subscription> {
  return new Map(rows.flatMap(({ userId, subscription }) => (subscription ? [[userId, subscription]] : [])));
}

const INSERT_MISSING = `
  INSERT INTO gateway.center_reader (user_id)
  SELECT name FROM unnest($1::text[]) AS name
  WHERE NOT EXISTS (SELECT FROM gateway.center_reader WHERE user_id = name)
  ORDER BY name
  ON CONFLICT DO NOTHING`;

const SELECT_SUBSCRIPTIONS = `
  SELECT user_id AS "userId", subscription FROM gateway.center_reader WHERE user_id = ANY($1::text[])`;
