import { Injectable } from '@nestjs/common';
import type { Subscription } from '@family-watch/domain/messages/contracts/subscription';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

interface ReaderRow {
  userId: string;
  subscription: Subscription | null;
}

/** People as the message centre knows them: what they subscribe to. One who never chose has no subscription. */
@Injectable()
export class CenterRecipientRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Nobody else changes the messages of these people until the open unit ends; answers with their subscriptions.
   * Rows that are missing are made first, and all are locked in the order of their ids.
   */
  async lock(userIds: readonly string[]): Promise<Map<string, Subscription>> {
    const ids = [...new Set(userIds)];
    await this.unitOfWork.executor.query(MAKE, [ids]);
    return byUser(await this.unitOfWork.executor.query<ReaderRow>(`${SELECT} ORDER BY user_id FOR UPDATE`, [ids]));
  }

  async findSubscriptions(userIds: readonly string[]): Promise<Map<string, Subscription>> {
    return byUser(await this.unitOfWork.executor.query<ReaderRow>(SELECT, [userIds]));
  }

  /** In the open unit that has locked the person. */
  async saveSubscription(userId: string, subscription: Subscription): Promise<void> {
    await this.unitOfWork.executor.query(
      'UPDATE gateway.center_reader SET subscription = $2::jsonb WHERE user_id = $1',
      [userId, JSON.stringify(subscription)],
    );
  }
}

function byUser(rows: readonly ReaderRow[]): Map<string, Subscription> {
  return new Map(rows.flatMap(({ userId, subscription }) => (subscription ? [[userId, subscription]] : [])));
}

const MAKE = `
  INSERT INTO gateway.center_reader (user_id)
  SELECT name FROM unnest($1::text[]) AS name
  WHERE NOT EXISTS (SELECT FROM gateway.center_reader WHERE user_id = name)
  ORDER BY name
  ON CONFLICT DO NOTHING`;

const SELECT = `
  SELECT user_id AS "userId", subscription FROM gateway.center_reader WHERE user_id = ANY($1::text[])`;
