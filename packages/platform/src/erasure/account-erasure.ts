import { Logger } from '@nestjs/common';
import { LessThanOrEqual, Raw } from 'typeorm';
import type {
  ErasingApp,
  ErasureCounts,
  ErasureSubjects,
} from '@family-watch/domain/accounts/contracts/account-deletion';
import type { DomainEvents } from '@family-watch/domain/events';
import { AccountErasureEntity } from '@family-watch/domain/kernel/entities/account-erasure.entity';
import { eraseEvents } from '@family-watch/event-bus/event-erasure';
import type { Outbox } from '@family-watch/event-bus/outbox';
import type { UnitOfWork } from '../database/unit-of-work.js';

/** Milliseconds between two passes. Data that a pass did not find yet may be about to be stored. */
const PASS_INTERVAL_MS = 1_000;
const RETRY_DELAY_MS = 60_000;

/** What one pass erased, and whether other work must end before the app can confirm the erasure. */
export interface ErasurePass {
  counts: ErasureCounts;
  isPending: boolean;
}

/**
 * Erases everything that one app keeps about erased accounts, in passes: the app confirms the erasure after a pass that
 * finds nothing more, so that a confirmation is also a verification. Every pass is one transaction; a killed process
 * repeats it. Each app has a subclass, whose job calls {@link continueDue}.
 */
export abstract class AccountErasure {
  private readonly logger = new Logger(this.constructor.name);

  constructor(
    private readonly app: ErasingApp,
    protected readonly unitOfWork: UnitOfWork,
    private readonly outbox: Outbox<DomainEvents>,
  ) {}

  /** Erases or anonymizes the rows about the subjects. Must be called in a transaction. */
  protected abstract erase(subjects: ErasureSubjects): Promise<ErasurePass>;

  /**
   * Runs the first pass in the current transaction. A repetition of a started erasure has no effect; the repetition of a
   * confirmed one confirms it again.
   * @param counts - rows that are erased outside of passes
   */
  async begin(receiptId: string, subjects: ErasureSubjects, counts: ErasureCounts = {}): Promise<void> {
    if (await this.erasures.existsBy({ receiptId })) return;
    const pass = await this.erase(subjects);
    await this.erasures.insert({
      receiptId,
      subjects,
      counts: sumCounts(counts, pass.counts),
      dueAt: Date.now() + PASS_INTERVAL_MS,
    });
  }

  /** Adds rows about a person that were erased outside of passes. Does nothing after the confirmation. */
  async addCounts(userId: string, counts: ErasureCounts): Promise<void> {
    const isAboutUser = Raw((column) => `${column} ->> 'userId' = :userId`, { userId });
    const erasure = await this.erasures.findOne({
      where: { subjects: isAboutUser },
      lock: { mode: 'pessimistic_write' },
    });
    if (!erasure) return;
    await this.erasures.update({ receiptId: erasure.receiptId }, { counts: sumCounts(erasure.counts, counts) });
  }

  /** Runs a pass of each erasure that is due. */
  protected async continueDue(now: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.continueNext(now)));
  }

  private async continueNext(now: number): Promise<boolean> {
    let due: AccountErasureEntity | null = null;
    try {
      await this.unitOfWork.run(async () => {
        due = await this.erasures.findOne({
          where: { dueAt: LessThanOrEqual(now) },
          order: { dueAt: 'ASC' },
          lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
        });
        if (due) await this.runPass(due, now);
      });
    } catch (error) {
      if (!due) throw error;
      const { receiptId } = due as AccountErasureEntity;
      this.logger.error({ msg: 'Erasure of an account failed', receiptId, err: error });
      await this.erasures.update({ receiptId }, { dueAt: now + RETRY_DELAY_MS });
    }
    return due !== null;
  }

  private async runPass({ receiptId, subjects, counts }: AccountErasureEntity, now: number): Promise<void> {
    const pass = await this.erase(subjects);
    const isClean = Object.values(pass.counts).every((count) => count === 0);
    const events = isClean && !pass.isPending ? await eraseEvents(this.unitOfWork, subjects) : undefined;
    const total = sumCounts(counts, pass.counts, { events: events?.deleted ?? 0 });
    if (events && !events.isPending) {
      const confirmation = { receiptId, counts: total, time: Date.now() };
      await this.outbox.append({
        name: `${this.app}.account-erasure.confirmed`,
        key: `erasure:${receiptId}`,
        payload: confirmation,
      });
      await this.erasures.delete({ receiptId });
    } else {
      await this.erasures.update({ receiptId }, { counts: total, dueAt: now + PASS_INTERVAL_MS });
    }
  }

  private get erasures() {
    return this.unitOfWork.manager.getRepository(AccountErasureEntity);
  }
}

/** Adds the counts of each kind; kinds without rows are omitted. */
export function sumCounts(...summands: readonly ErasureCounts[]): ErasureCounts {
  const sum: ErasureCounts = {};
  for (const [kind, count] of summands.flatMap((counts) => Object.entries(counts)))
    if (count > 0) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}
