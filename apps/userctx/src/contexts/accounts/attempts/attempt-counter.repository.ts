import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { AttemptCounterEntity } from '@family-watch/domain/accounts/entities/account.entities';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { COUNT_ATTEMPT, REFUND_ATTEMPTS } from '../accounts.sql.js';

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
