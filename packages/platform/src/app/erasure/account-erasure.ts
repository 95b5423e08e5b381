import { Logger } from '@nestjs/common';
import type { ErasingApp, ErasureCounts, ErasureSubjects } from '@family-watch/domain/kernel/contracts/account-erasure';
import type { DomainEvents } from '@family-watch/domain/events';
import { eraseEvents } from '@family-watch/event-bus/event-erasure';
import type { Outbox } from '@family-watch/event-bus/outbox';
import { backoffMs } from '@family-watch/event-bus/retry-policy';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { processDueRow } from '../../jobs/process-rows.js';
import { AccountErasureRepository, type StoredErasure } from './account-erasure.repository.js';

/** Milliseconds between two passes that erase rows. Data that a pass did not find yet may be about to be stored. */
const PASS_INTERVAL_MS = 1_000;
/** The pause doubles with each pass that fails or has to wait. */
const IDLE_PAUSE = { baseDelayMs: PASS_INTERVAL_MS, maxDelayMs: 600_000 };
/** Time after the confirmation in which late events may create rows: longer than any outbox keeps an event. */
const LATE_EVENT_PERIOD_MS = 8 * 86_400_000;
const MIN_LATE_PAUSE_MS = 60_000;
const MAX_LATE_PAUSE_MS = 6 * 3_600_000;

/** Number of rows of one table that a pass erases. */
export const ERASURE_BATCH_SIZE = 1_000;

/** What one pass erased, and whether other work must end before the app can confirm the erasure. */
export interface ErasurePass {
  counts: ErasureCounts;
  isPending: boolean;
}

/**
 * Erases everything that one app keeps about erased accounts, in passes: the app confirms the erasure after a pass that
 * finds nothing more, so that a confirmation is also a verification. Every pass is one transaction of bounded size; a
 * killed process repeats it. An event that arrives after the confirmation may create rows again, so that passes continue
 * with growing pauses until no event can be that late. Each app has a subclass, whose job calls {@link continueDue}.
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

  /**
   * Erases or anonymizes rows about the subjects, at most {@link ERASURE_BATCH_SIZE} of each table. Must be called in a
   * transaction.
   */
  protected abstract erase(subjects: ErasureSubjects): Promise<ErasurePass>;

  /**
   * Runs the first pass in the current transaction. A repetition of a started erasure has no effect; a confirmed one
   * begins again, and is confirmed again.
   * @param erasedAt - when the account was erased, Unix milliseconds
   * @param counts - rows that are erased outside of passes
   */
  async begin(
    receiptId: string,
    subjects: ErasureSubjects,
    erasedAt: number,
    counts: ErasureCounts = {},
  ): Promise<void> {
    const existing = await this.erasures.lock(receiptId);
    if (existing?.confirmedAt === null) return;
    if (existing) await this.erasures.delete(receiptId);
    const pass = await this.erase(subjects);
    const erasure = { receiptId, subjects, erasedAt, counts: sumCounts(counts, pass.counts) };
    await this.erasures.insert(erasure, Date.now() + PASS_INTERVAL_MS);
  }

  /** Returns whether the family is part of an erasure of the last days. */
  erasesFamily(familyId: string): Promise<boolean> {
    return this.erasures.existsForFamily(familyId);
  }

  /** Adds rows about a person that were erased outside of passes. Does nothing after the confirmation. */
  async addCounts(userId: string, counts: ErasureCounts): Promise<void> {
    const erasure = await this.erasures.lockUnconfirmed(userId);
    if (erasure) await this.erasures.updateCounts(erasure.receiptId, sumCounts(erasure.counts, counts));
  }

  /** Runs a pass of each erasure that is due. */
  protected async continueDue(now: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.continueNext(now)));
  }

  private continueNext(now: number): Promise<boolean> {
    return processDueRow<StoredErasure>(this.unitOfWork, {
      lockDue: () => this.erasures.lockDue(now),
      process: (due) => (due.confirmedAt === null ? this.runPass(due, now) : this.eraseLateRows(due, now)),
      onFailure: async (due, err) => {
        const { receiptId, idlePasses } = due;
        this.logger.error({ msg: 'Erasure of an account failed', receiptId, idlePasses, err });
        await this.erasures.postpone(due, now + pauseAfter(idlePasses + 1));
      },
    });
  }

  private async runPass(erasure: StoredErasure, now: number): Promise<void> {
    const { receiptId, subjects, erasedAt } = erasure;
    const pass = await this.erase(subjects);
    const isClean = isEmpty(pass.counts);
    const events = isClean && !pass.isPending ? await eraseEvents(this.unitOfWork, subjects, erasedAt) : undefined;
    const counts = sumCounts(erasure.counts, pass.counts, { events: events?.deleted ?? 0 });
    if (!events || events.isPending) {
      const idlePasses = isClean ? erasure.idlePasses + 1 : 0;
      await this.erasures.update({ ...erasure, counts, idlePasses }, now + pauseAfter(idlePasses));
      return;
    }
    const time = Date.now();
    await this.outbox.append({
      name: `${this.app}.account-erasure.confirmed`,
      key: `erasure:${receiptId}`,
      payload: { receiptId, counts, time },
    });
    await this.erasures.update({ ...erasure, counts, confirmedAt: time, idlePasses: 0 }, time + MIN_LATE_PAUSE_MS);
  }

  /** Erases what events that arrived after the confirmation have created. */
  private async eraseLateRows(erasure: StoredErasure, now: number): Promise<void> {
    const { receiptId, subjects, erasedAt } = erasure;
    const age = now - (erasure.confirmedAt ?? now);
    const { counts } = await this.erase(subjects);
    if (!isEmpty(counts)) {
      this.logger.warn({ msg: 'Erased rows that late events had created', receiptId, counts });
      await this.erasures.update({ ...erasure, idlePasses: 0 }, now + PASS_INTERVAL_MS);
    } else if (age < LATE_EVENT_PERIOD_MS) {
      const pause = Math.min(MAX_LATE_PAUSE_MS, Math.max(MIN_LATE_PAUSE_MS, age));
      await this.erasures.update({ ...erasure, idlePasses: 0 }, now + pause);
    } else {
      await eraseEvents(this.unitOfWork, subjects, erasedAt);
      await this.erasures.delete(receiptId);
    }
  }
}

function pauseAfter(idlePasses: number): number {
  return backoffMs(IDLE_PAUSE, idlePasses);
}

function isEmpty(counts: ErasureCounts): boolean {
  return Object.values(counts).every((count) => count === 0);
}

/** Adds the counts of each kind; kinds without rows are omitted. */
export function sumCounts(...summands: readonly ErasureCounts[]): ErasureCounts {
  const sum: ErasureCounts = {};
  for (const [kind, count] of summands.flatMap((counts) => Object.entries(counts)))
    if (count > 0) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
}
