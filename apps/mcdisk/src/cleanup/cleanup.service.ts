import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { CLEANUP_KIND, CLEANUP_STATE } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import { CleanupTaskEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entities';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { processDueRow } from '@family-watch/platform/jobs/process-rows';
import { UPLOAD_STATE } from '@family-watch/domain/family-cloud/contracts/blob';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import { CleanupTaskRepository, CLEANUP_BATCH_SIZE, type NextCleanupStep } from './cleanup-task.repository.js';
import { CleanupDataRepository } from './cleanup-data.repository.js';
import { CLEANUP_JOB, McdiskAccountErasure } from './mcdisk-account-erasure.service.js';
import { ContentDeletionService } from '../files/contents/content-deletion.service.js';
import { RecycleBinRepository } from '../files/recycle-bin/recycle-bin.repository.js';
import { UploadTerminationService } from '../transfers/uploads/upload-termination.service.js';

const { WAITING, WATCHED, FORGETTING } = CLEANUP_STATE;

/** Ratio of the pause after a step to the duration of the step. The pause leaves the database capacity for requests. */
const PAUSE_FACTOR = 3;
/** Delay after which a failed task is retried, so that it does not block other tasks. */
const RETRY_DELAY_MS = 10 * 60_000;
/** Interval at which a task checks whether contents of the child were restored from the recycle bin. */
const POLL_INTERVAL_MS = 10 * 60_000;
/** Delay of the next step when other transactions have locked the remaining contents. */
const LOCKED_RETRY_DELAY_MS = 10_000;
/** Delay of the next step when the snapshot of an erased family is not received yet. */
const SNAPSHOT_RETRY_DELAY_MS = 1_000;

/**
 * Runs cleanup tasks in small transactions, each of which also stores the task's progress. Each task is
 * processed by one replica at a time.
 */
@Injectable()
export class CleanupService {
  private readonly logger = new Logger(CleanupService.name);

  constructor(
    private readonly tasks: CleanupTaskRepository,
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly contents: CleanupDataRepository,
    private readonly deletion: ContentDeletionService,
    private readonly recycleBin: RecycleBinRepository,
    private readonly uploads: UploadTerminationService,
    private readonly erasure: McdiskAccountErasure,
  ) {}

  /**
   * Runs cleanup tasks until no task is due.
   * @param now Unix milliseconds
   */
  @OnJob(CLEANUP_JOB, { intervalMs: 30_000, queue: { entity: CleanupTaskEntity, dueAt: 'dueAt' } })
  async run(now: number, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      const startedAt = performance.now();
      if (!(await this.runStep(now))) return;
      await sleep(PAUSE_FACTOR * (performance.now() - startedAt), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Runs one step of one task. Returns false when no task is due. */
  private runStep(now: number): Promise<boolean> {
    return processDueRow<CleanupTaskEntity>(this.unitOfWork, {
      lockDue: () => this.tasks.lockDue(now),
      process: async (due) => {
        const next = await this.step(due, now);
        await (next ? this.tasks.saveNextStep(due, next) : this.tasks.remove(due));
      },
      onFailure: async (due, err) => {
        await this.tasks.postpone(due, now + RETRY_DELAY_MS);
        this.logger.error({ msg: 'Cleanup task failed', kind: due.kind, subject: due.subject, err });
      },
    });
  }

  private step(task: CleanupTaskEntity, now: number): Promise<NextCleanupStep | undefined> {
    switch (task.kind) {
      case CLEANUP_KIND.CHILD:
        return this.stepChild(task, now);
      case CLEANUP_KIND.FAMILY:
        return this.stepFamily(task, now);
      case CLEANUP_KIND.ACCOUNT:
        return this.stepAccount(task, now);
    }
  }

  private async stepChild(task: CleanupTaskEntity, now: number): Promise<NextCleanupStep | undefined> {
    const { subject: cid, cloudId, state } = task;
    if (cloudId === null) return undefined;
    if (state === WAITING) return this.recycleContentsOfChild(cloudId, cid, now);
    if (state === WATCHED) return this.reassignRestored(cloudId, cid, now);
    const { last } = await this.contents.cleanPage(task);
    return last === undefined ? undefined : { state: FORGETTING, cursor: last, dueAt: now };
  }

  private async recycleContentsOfChild(cloudId: string, cid: string, now: number): Promise<NextCleanupStep> {
    const active = await this.contents.lockActiveContentsOfChild(cloudId, cid, CLEANUP_BATCH_SIZE);
    if (active.length > 0) {
      await this.deletion.recycleLocked(cloudId, active, now);
      return { state: WAITING, cursor: null, dueAt: now };
    }
    return { state: WATCHED, cursor: null, dueAt: now + POLL_INTERVAL_MS };
  }

  private async reassignRestored(cloudId: string, cid: string, now: number): Promise<NextCleanupStep> {
    const restored = await this.contents.lockActiveContentsOfChild(cloudId, cid, CLEANUP_BATCH_SIZE);
    if (restored.length > 0) {
      await this.contents.reassignContentsToFamily(restored.map(({ contentId }) => contentId));
      return { state: WATCHED, cursor: null, dueAt: now };
    }
    if (await this.contents.hasRecycledContentsOfChild(cloudId, cid)) {
      return { state: WATCHED, cursor: null, dueAt: now + POLL_INTERVAL_MS };
    }
    return { state: FORGETTING, cursor: null, dueAt: now };
  }

  private async stepFamily(task: CleanupTaskEntity, now: number): Promise<NextCleanupStep | undefined> {
    const family = await this.tasks.findFamily(task.subject);
    if (!family?.snapshot.dissolved) {
      // The event of an erasure may arrive before the last snapshot of the family.
      if (await this.erasure.erasesFamily(task.subject)) return { ...task, dueAt: now + SNAPSHOT_RETRY_DELAY_MS };
      // When the family is no longer dissolved, the task ends, and data that is not deleted yet stays.
      return undefined;
    }
    return task.state === WAITING ? this.purgeFamily(task.subject, now) : this.cleanContents(task, now);
  }

  private async purgeFamily(cloudId: string, now: number): Promise<NextCleanupStep> {
    const repeat = { state: WAITING, cursor: null, dueAt: now };
    const active = await this.contents.lockActiveContents(cloudId, CLEANUP_BATCH_SIZE);
    if (active.length > 0) {
      await this.deletion.recycleLocked(cloudId, active, now);
      return repeat;
    }
    const recycled = await this.recycleBin.claim(cloudId, {
      from: 0,
      until: Number.MAX_SAFE_INTEGER,
      limit: CLEANUP_BATCH_SIZE,
    });
    if (recycled.length > 0) {
      await this.deletion.purge(recycled, null, now);
      return repeat;
    }
    const hasLockedContents = await this.recycleBin.hasAny(cloudId, Number.MAX_SAFE_INTEGER);
    return hasLockedContents ? { ...repeat, dueAt: now + LOCKED_RETRY_DELAY_MS } : { ...repeat, state: FORGETTING };
  }

  private async cleanContents(task: CleanupTaskEntity, now: number): Promise<NextCleanupStep | undefined> {
    const { last } = await this.contents.cleanPage(task);
    if (last !== undefined) return { state: FORGETTING, cursor: last, dueAt: now };
    await this.contents.deleteRowsOfCloud(task.subject);
    return undefined;
  }

  private async stepAccount(task: CleanupTaskEntity, now: number): Promise<NextCleanupStep | undefined> {
    if (task.state === WAITING) {
      const principal: PrincipalKey = `user:${task.subject}`;
      const counts = await this.contents.anonymize(principal);
      await this.erasure.addCounts(task.subject, counts);
      const uploadIds = await this.tasks.lockOpenUploadsOf(principal);
      const uploads = await this.contents.anonymizeUploads(principal);
      await this.uploads.terminate(uploadIds, UPLOAD_STATE.ABORTED);
      const isAnonymous = [uploads, ...Object.values(counts)].every((count) => count < CLEANUP_BATCH_SIZE);
      return { state: isAnonymous ? FORGETTING : WAITING, cursor: null, dueAt: now };
    }
    const { last, changed } = await this.contents.cleanPage(task);
    await this.erasure.addCounts(task.subject, { anonymized_content: changed });
    return last === undefined ? undefined : { state: FORGETTING, cursor: last, dueAt: now };
  }
}
