import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { AccountCleanupService } from './account-cleanup.service.js';
import { ChildCleanupService } from './child-cleanup.service.js';
import { CLEANUP_KIND } from './cleanup-task.js';
import type { CleanupTask, NextCleanupStep } from './cleanup-task.js';
import { CleanupTaskRepository } from './cleanup-task.repository.js';
import { FamilyCleanupService } from './family-cleanup.service.js';

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
export class CleanupJob extends PeriodicJob {
  private readonly stopping = new AbortController();

  constructor(
    private readonly endings: CleanupTaskRepository,
    private readonly children: ChildCleanupService,
    private readonly families: FamilyCleanupService,
    private readonly accounts: AccountCleanupService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {
    super(INTERVAL_MS);
  }

  /** Something ended just now. */
  trigger(): void {
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
    let due: CleanupTask | undefined;
    try {
      await this.unitOfWork.run(async () => {
        due = await this.endings.lockDue(now);
        if (!due) return;
        const next = await this.step(due, now);
        await (next ? this.endings.advance(due, next) : this.endings.remove(due));
      });
    } catch (error) {
      if (!due) throw error;
      await this.endings.advance(due, { ...due, dueAt: now + TRY_AGAIN_MS });
      this.logger.error({ msg: 'Cleanup task failed', kind: due.kind, subject: due.subject, err: error });
    }
    return due !== undefined;
  }

  private step(ending: CleanupTask, now: number): Promise<NextCleanupStep | undefined> {
    switch (ending.kind) {
      case CLEANUP_KIND.CHILD:
        return this.children.step(ending, now);
      case CLEANUP_KIND.FAMILY:
        return this.families.step(ending, now);
      case CLEANUP_KIND.ACCOUNT:
        return this.accounts.step(ending, now);
    }
  }
}
