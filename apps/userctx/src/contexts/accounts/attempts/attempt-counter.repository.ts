import { Injectable } from '@nestjs/common';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';

export interface AttemptWindow {
  /** Attempts in the current window, including the attempt just counted. */
  attempts: number;
  /** Unix milliseconds. */
  windowEndsAt: number;
}

@Injectable()
export class AttemptCounterRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Counts one attempt. The first attempt after the end of a window starts a new window. */
  async count(key: Buffer, now: number, windowMs: number): Promise<AttemptWindow> {
    const [row] = await this.unitOfWork.executor.query<AttemptWindow>(
      `INSERT INTO userctx.attempt_counter AS counter (key, attempts, window_ends_at) VALUES ($1, 1, $2::bigint + $3)
       ON CONFLICT (key) DO UPDATE SET
         attempts = CASE WHEN counter.window_ends_at <= $2 THEN 1 ELSE counter.attempts + 1 END,
         window_ends_at = CASE WHEN counter.window_ends_at <= $2 THEN $2::bigint + $3 ELSE counter.window_ends_at END
       RETURNING attempts, window_ends_at AS "windowEndsAt"`,
      [key, now, windowMs],
    );
    if (!row) throw new Error('An upsert returned no row');
    return row;
  }

  /** Subtracts one attempt. */
  async refund(key: Buffer): Promise<void> {
    await this.unitOfWork.executor.query(
      'UPDATE userctx.attempt_counter SET attempts = attempts - 1 WHERE key = $1 AND attempts > 0',
      [key],
    );
  }

  async prune(endedBefore: number): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM userctx.attempt_counter WHERE window_ends_at < $1', [
      endedBefore,
    ]);
  }
}
