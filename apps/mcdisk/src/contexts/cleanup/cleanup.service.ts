import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { CLEANUP_KIND } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import type { CleanupTaskEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entities';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { AccountCleanupService } from './account-cleanup.service.js';
import { ChildCleanupService } from './child-cleanup.service.js';
import type { NextCleanupStep } from './cleanup-task.js';
import { CleanupTaskRepository } from './cleanup-task.repository.js';
import { FamilyCleanupService } from './family-cleanup.service.js';

/** Name of the job that runs cleanup tasks. */
export const CLEANUP_JOB = 'mcdisk.cleanup.run';
/** Ratio of the pause after a step to the duration of the step. The pause leaves the database capacity for requests. */
const PAUSE_FACTOR = 3;
/** Delay after which a failed task is retried, so that it does not block other tasks. */
const RETRY_DELAY_MS = 10 * 60_000;

/**
 * Runs cleanup tasks in small transactions, each of which also stores the task's progress. Each task is
 * processed by one replica at a time.
 */
@Injectable()
export class CleanupService {
  private readonly logger = new Logger(CleanupService.name);

  constructor(
    private readonly tasks: CleanupTaskRepository,
    private readonly children: ChildCleanupService,
    private readonly families: FamilyCleanupService,
    private readonly accounts: AccountCleanupService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * Runs until no task is due.
   * @param now Unix milliseconds
   */
  @OnJob(CLEANUP_JOB, { intervalMs: 30_000 })
  async run(now: number, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      const startedAt = performance.now();
      if (!(await this.runStep(now))) return;
      await sleep(PAUSE_FACTOR * (performance.now() - startedAt), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Runs one step of one task. Returns false when no task is due. */
  private async runStep(now: number): Promise<boolean> {
    let due: CleanupTaskEntity | null | undefined;
    try {
      await this.unitOfWork.run(async () => {
        due = await this.tasks.lockDue(now);
        if (!due) return;
        const next = await this.step(due, now);
        await (next ? this.tasks.saveNextStep(due, next) : this.tasks.remove(due));
      });
    } catch (error) {
      if (!due) throw error;
      await this.tasks.saveNextStep(due, { ...due, dueAt: now + RETRY_DELAY_MS });
      this.logger.error({ msg: 'Cleanup task failed', kind: due.kind, subject: due.subject, err: error });
    }
    return Boolean(due);
  }

  private step(task: CleanupTaskEntity, now: number): Promise<NextCleanupStep | undefined> {
    switch (task.kind) {
      case CLEANUP_KIND.CHILD:
        return this.children.step(task, now);
      case CLEANUP_KIND.FAMILY:
        return this.families.step(task, now);
      case CLEANUP_KIND.ACCOUNT:
        return this.accounts.step(task, now);
    }
  }
}
