import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { AccountEnding } from './account-ending.service.js';
import { ChildEnding } from './child-ending.service.js';
import { ENDING_KIND } from './ending.js';
import type { Ending, NextStep } from './ending.js';
import { EndingRepository } from './ending.repository.js';
import { FamilyEnding } from './family-ending.service.js';

const INTERVAL_MS = 30_000;
/** The database is left to others for so many times as long as a step took. */
const REST = 3;
/** What failed is tried again so much later, milliseconds, so that it holds nothing else back. */
const TRY_AGAIN_MS = 10 * 60_000;

/**
 * Carries out what ended: small units of work, each of which also says how far it got. Every replica runs it; one
 * works on an ending at a time.
 */
@Injectable()
export class EndingsJob extends PeriodicJob {
  private readonly stopping = new AbortController();

  constructor(
    private readonly endings: EndingRepository,
    private readonly children: ChildEnding,
    private readonly families: FamilyEnding,
    private readonly accounts: AccountEnding,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {
    super(INTERVAL_MS);
  }

  /** Something ended just now. */
  wake(): void {
    void this.runSafely();
  }

  /** Ends after the step under way. */
  override async stop(): Promise<void> {
    this.stopping.abort();
    await super.stop();
  }

  /**
   * Goes on until nothing is due.
   * @param now Unix milliseconds
   */
  async run(now = Date.now()): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const begun = performance.now();
      if (!(await this.advance(now))) return;
      await sleep(REST * (performance.now() - begun), undefined, { signal }).catch(() => undefined);
    }
  }

  /** One step of one ending. Returns false when none is due. */
  private async advance(now: number): Promise<boolean> {
    let due: Ending | undefined;
    try {
      await this.unitOfWork.run(async () => {
        due = await this.endings.lockDue(now);
        if (!due) return;
        const next = await this.step(due, now);
        await (next ? this.endings.goOn(due, next) : this.endings.remove(due));
      });
    } catch (error) {
      if (!due) throw error;
      await this.endings.goOn(due, { ...due, dueAt: now + TRY_AGAIN_MS });
      this.logger.error({ msg: 'Cleanup task failed', kind: due.kind, subject: due.subject, err: error });
    }
    return due !== undefined;
  }

  private step(ending: Ending, now: number): Promise<NextStep | undefined> {
    switch (ending.kind) {
      case ENDING_KIND.CHILD:
        return this.children.step(ending, now);
      case ENDING_KIND.FAMILY:
        return this.families.step(ending, now);
      case ENDING_KIND.ACCOUNT:
        return this.accounts.step(ending, now);
    }
  }
}
