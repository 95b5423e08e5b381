import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { AttemptCounterEntity } from '@family-watch/domain/accounts/entities/account.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** Starts a new window or counts the attempt in the current window, and returns the count. */
const COUNT_ATTEMPT = `
  INSERT INTO userctx.attempt_counter AS counter (key, attempts, window_ends_at) VALUES ($1, 1, $2::bigint + $3)
  ON CONFLICT (key) DO UPDATE SET
    attempts = CASE WHEN counter.window_ends_at <= $2 THEN 1 ELSE counter.attempts + 1 END,
    window_ends_at = CASE WHEN counter.window_ends_at <= $2 THEN $2::bigint + $3 ELSE counter.window_ends_at END
  RETURNING attempts, window_ends_at AS "windowEndsAt"`;

/** Locks the rows in one order, so that two refunds of the same counters cannot deadlock. */
const REFUND_ATTEMPTS = `
  WITH refunded AS (
    SELECT key FROM userctx.attempt_counter WHERE key = ANY($1) AND attempts > 0 ORDER BY key FOR UPDATE)
  UPDATE userctx.attempt_counter counter SET attempts = counter.attempts - 1
    FROM refunded WHERE counter.key = refunded.key`;

/** The current window of a counter: its end, and the number of attempts in it, with the attempt just counted. */
export type AttemptWindow = Omit<AttemptCounterEntity, 'key'>;

@Injectable()
export class AttemptCounterRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Counts one attempt of `key`. The first attempt after the end of a window starts a new window. */
  async count(key: Buffer, now: number, windowMs: number): Promise<AttemptWindow> {
    const [row] = await this.unitOfWork.executor.query<AttemptWindow>(COUNT_ATTEMPT, [key, now, windowMs]);
    if (!row) throw new Error('An upsert returned no row');
    return row;
  }

  /** Subtracts one attempt from the current window of each key. */
  async refund(keys: readonly Buffer[]): Promise<void> {
    await this.unitOfWork.executor.query(REFUND_ATTEMPTS, [keys]);
  }

  async prune(endedBefore: number): Promise<void> {
    await this.counters.delete({ windowEndsAt: LessThan(endedBefore) });
  }

  private get counters() {
    return this.unitOfWork.manager.getRepository(AttemptCounterEntity);
  }
}
