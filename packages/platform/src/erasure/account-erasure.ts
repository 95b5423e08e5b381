import { Logger } from '@nestjs/common';
import type {
  ErasingApp,
  ErasureCounts,
  ErasureSubjects,
} from '@family-watch/domain/accounts/contracts/account-deletion';
import type { DomainEvents } from '@family-watch/domain/events';
import { eraseEvents } from '@family-watch/event-bus/event-erasure';
import type { Outbox } from '@family-watch/event-bus/outbox';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { processDueRow } from '../jobs/process-rows.js';
import { AccountErasureRepository } from './account-erasure.repository.js';
import type { PendingErasure } from './account-erasure.repository.js';

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
  private readonly erasures: AccountErasureRepository;

  constructor(
    private readonly app: ErasingApp,
    protected readonly unitOfWork: UnitOfWork,
    private readonly outbox: Outbox<DomainEvents>,
  ) {
    this.erasures = new AccountErasureRepository(unitOfWork);
  }

  /** Erases or anonymizes the rows about the subjects. Must be called in a transaction. */
  protected abstract erase(subjects: ErasureSubjects): Promise<ErasurePass>;

  /**
   * Runs the first pass in the current transaction. A repetition of a started erasure has no effect; the repetition of a
   * confirmed one confirms it again.
   * @param counts - rows that are erased outside of passes
   */
  async begin(receiptId: string, subjects: ErasureSubjects, counts: ErasureCounts = {}): Promise<void> {
    if (await this.erasures.exists(receiptId)) return;
    const pass = await this.erase(subjects);
    const erasure = { receiptId, subjects, counts: sumCounts(counts, pass.counts) };
    await this.erasures.insert(erasure, Date.now() + PASS_INTERVAL_MS);
  }

  /** Returns whether the family is part of an erasure that the app has not confirmed yet. */
  erasesFamily(familyId: string): Promise<boolean> {
    return this.erasures.existsForFamily(familyId);
  }

  /** Adds rows about a person that were erased outside of passes. Does nothing after the confirmation. */
  async addCounts(userId: string, counts: ErasureCounts): Promise<void> {
    const erasure = await this.erasures.lockByUser(userId);
    if (erasure) await this.erasures.update(erasure.receiptId, sumCounts(erasure.counts, counts));
  }

  /** Runs a pass of each erasure that is due. */
  protected async continueDue(now: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.continueNext(now)));
  }

  private continueNext(now: number): Promise<boolean> {
    return processDueRow<PendingErasure>(this.unitOfWork, {
      lockDue: () => this.erasures.lockDue(now),
      process: (due) => this.runPass(due, now),
      onFailure: async ({ receiptId }, err) => {
        this.logger.error({ msg: 'Erasure of an account failed', receiptId, err });
        await this.erasures.postpone(receiptId, now + RETRY_DELAY_MS);
      },
    });
  }

  private async runPass({ receiptId, subjects, counts }: PendingErasure, now: number): Promise<void> {
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
      await this.erasures.delete(receiptId);
    } else {
      await this.erasures.update(receiptId, total, now + PASS_INTERVAL_MS);
    }
  }
}

/** Adds the counts of each kind; kinds without rows are omitted. */
export function sumCounts(...summands: readonly ErasureCounts[]): ErasureCounts {
  const sum: ErasureCounts = {};
  for (const [kind, count] of summands.flatMap((counts) => Object.entries(counts)))
    if (count > 0) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}
