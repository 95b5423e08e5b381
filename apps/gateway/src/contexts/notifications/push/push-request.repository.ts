import { Injectable } from '@nestjs/common';
import type { PushRequestEntity } from '@family-watch/domain/messages/entities/push.entities';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway-infrastructure.js';
import {
  CLAIM_REQUESTS,
  DELETE_COMPLETED_REQUESTS,
  RELEASE_CONTINUED_REQUESTS,
  RESCHEDULE_REQUEST,
  UPSERT_REQUESTS,
} from '../notifications.sql.js';

export type NewPushRequest = Omit<PushRequestEntity, 'claimedUntil' | 'attempts' | 'delivered'>;

/** A claimed request; `attempts` includes the current claim. */
export interface ClaimedPushRequest extends Omit<PushRequestEntity, 'claimedUntil'> {
  /** Highest mailbox sequence number that a device of the user has acknowledged. */
  acknowledged: number;
}

/** Stores pending notifications. Times are Unix milliseconds. */
@Injectable()
export class PushRequestRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Upserts requests, one per user and collapse key. Must be called in the transaction that has locked the users'
   * mailbox heads. Skips users without a push token, and those who have disabled pushes of the category.
   * @returns how many were stored
   */
  async add(requests: readonly NewPushRequest[]): Promise<number> {
    const rows = await this.unitOfWork.executor.query(UPSERT_REQUESTS, [
      requests.map(({ userId }) => userId),
      requests.map(({ collapseKey }) => collapseKey),
      requests.map(({ head }) => head),
      requests.map(({ kind }) => kind),
      requests.map(({ category }) => category),
      requests.map(({ urgent }) => urgent),
      requests.map(({ centerMessageId }) => centerMessageId),
      requests.map(({ subject }) => JSON.stringify(subject)),
      requests.map(({ dueAt }) => dueAt),
      requests.map(({ expiresAt }) => expiresAt),
    ]);
    return rows.length;
  }

  /** Claims due requests, so that no other node claims them before `until`. */
  claim(now: number, until: number, limit: number): Promise<ClaimedPushRequest[]> {
    return this.unitOfWork.executor.query<ClaimedPushRequest>(CLAIM_REQUESTS, [now, until, limit]);
  }

  /**
   * Deletes completed requests. If a newer message was added to a request meanwhile, releases the claim of the request,
   * which is then due again.
   */
  async complete(requests: readonly ClaimedPushRequest[]): Promise<void> {
    const parameters = [
      requests.map(({ userId }) => userId),
      requests.map(({ collapseKey }) => collapseKey),
      requests.map(({ head }) => head),
    ];
    await this.unitOfWork.executor.query(DELETE_COMPLETED_REQUESTS, parameters);
    await this.unitOfWork.executor.query(RELEASE_CONTINUED_REQUESTS, parameters);
  }

  /**
   * Releases the claim for a retry at `dueAt` and stores the tokens in `delivered`, which the retry skips. If a newer
   * message was added to the request meanwhile, only releases the claim.
   */
  async reschedule({ userId, collapseKey, head, delivered }: ClaimedPushRequest, dueAt: number): Promise<void> {
    await this.unitOfWork.executor.query(RESCHEDULE_REQUEST, [userId, collapseKey, head, dueAt, delivered]);
  }
}
