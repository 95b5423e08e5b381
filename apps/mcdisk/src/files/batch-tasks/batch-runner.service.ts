import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import {
  BATCH_TASK_STATE,
  BATCH_TASK_TYPE,
  type BatchTaskType,
} from '@family-watch/domain/family-cloud/contracts/cloud-task';
import { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import { parsePrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { McdiskOutbox, McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import type { CloudActor } from '../../clouds/cloud-actor.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import {
  chunkIds,
  shouldPublishProgress,
  advanceProgress,
  canRunTask,
  type BatchChunk,
  type BatchOperation,
  type BatchOutcome,
  type BatchProgress,
} from './batch-progress.js';
import { BatchPlannerService } from './batch-planner.service.js';
import { BatchTaskRepository } from './batch-task.repository.js';
import { CopyOperationService, DeleteOperationService, MoveOperationService } from './batch-operations.js';

/** Name of the job that processes batch tasks. */
export const BATCH_TASK_JOB = 'mcdisk.batch-tasks.run';
/**
 * Maximum pause after a chunk. The pause is as long as the chunk took, so that the database has capacity for requests.
 */
const MAX_PAUSE_MS = 50;
/** Number of consecutive unexpected failures of a chunk after which the task stops: all its remaining items fail. */
const MAX_ATTEMPTS = 6;
const FIRST_RETRY_DELAY_MS = 1_000;

/**
 * Processes batch tasks, one chunk per transaction. The changes, the cursor of the task and its progress event are
 * committed together. An interrupted chunk is rolled back, and the next worker processes it again.
 */
@Injectable()
export class BatchRunnerService {
  private readonly logger = new Logger(BatchRunnerService.name);
  private readonly operations: Readonly<Record<BatchTaskType, BatchOperation>>;

  constructor(
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly tasks: BatchTaskRepository,
    private readonly planner: BatchPlannerService,
    private readonly access: CloudAccessService,
    private readonly outbox: McdiskOutbox,
    copyOperation: CopyOperationService,
    deleteOperation: DeleteOperationService,
    moveOperation: MoveOperationService,
  ) {
    this.operations = {
      [BATCH_TASK_TYPE.COPY]: copyOperation,
      [BATCH_TASK_TYPE.DELETE]: deleteOperation,
      [BATCH_TASK_TYPE.MOVE]: moveOperation,
    };
  }

  /**
   * Processes batch tasks until no task is due; each chunk is processed by one replica. New tasks trigger the job; its
   * interval is for tasks of crashed replicas and for chunks that are retried.
   */
  @OnJob(BATCH_TASK_JOB, {
    intervalMs: 1_000,
    queue: { entity: BatchTaskEntity, dueAt: 'nextRunAt', where: 'finished_at IS NULL' },
  })
  async runDue(_now: number, signal: AbortSignal): Promise<void> {
    for (let before = Date.now(); !signal.aborted && (await this.runNext()); before = Date.now()) {
      await sleep(Math.min(Date.now() - before, MAX_PAUSE_MS));
    }
  }

  /**
   * Processes the next chunk of the task that has waited longest. Due tasks take turns, so that a small task does not
   * wait until a large one is finished.
   * @returns false when no task is due
   */
  async runNext(): Promise<boolean> {
    let claimed: BatchTaskEntity | null = null;
    try {
      return await this.unitOfWork.run(async () => {
        claimed = await this.tasks.claimDue(Date.now());
        if (claimed) await this.processNext(claimed);
        return claimed !== null;
      });
    } catch (error) {
      if (claimed === null || error instanceof DatabaseUnavailableError) throw error;
      await this.handleChunkFailure(claimed, error);
      return true;
    }
  }

  private async processNext(task: BatchTaskEntity): Promise<void> {
    const actor = await this.findActor(task);
    if (!actor) return this.cancel(task);
    if (task.phase === null) return this.plan(task, actor);
    const chunk = await this.planner.nextChunk(task, actor.visibility);
    await this.recordOutcome(task, await this.processChunk(task, actor, chunk), chunk);
  }

  /**
   * Returns the task's creator with their current rights, or `undefined` when these rights no longer suffice for the
   * task.
   */
  private async findActor({ cloudId, principal, taskType }: BatchTaskEntity): Promise<CloudActor | undefined> {
    const actor = await this.access.find(cloudId, parsePrincipalKey(principal));
    return actor && canRunTask(actor, taskType) ? actor : undefined;
  }

  private async plan(task: BatchTaskEntity, actor: CloudActor): Promise<void> {
    const { contentIds, outcome, total } = await this.planner.plan(task, actor);
    const planned = { ...task, contentIds, total };
    const progress = advanceProgress(planned, outcome, { phase: 0, position: 0, lastContentId: null }, Date.now());
    await this.saveProgress(planned, { ...progress, contentIds });
  }

  private processChunk(task: BatchTaskEntity, actor: CloudActor, chunk: BatchChunk): Promise<BatchOutcome> {
    if (task.stopped) return Promise.resolve({ doneCount: 0, failedIds: chunkIds(chunk) });
    const operation = this.operations[task.taskType];
    if (chunk.folders.length > 0) return operation.processFolders(task, actor, chunk);
    if (chunk.contents.length > 0) return operation.processContents(task, actor, chunk);
    return Promise.resolve({ doneCount: 0, failedIds: [] });
  }

  private async recordOutcome(task: BatchTaskEntity, outcome: BatchOutcome, { nextCursor }: BatchChunk): Promise<void> {
    await this.saveProgress(task, advanceProgress(task, outcome, nextCursor, Date.now()));
  }

  private async cancel(task: BatchTaskEntity): Promise<void> {
    const { phase, position, lastContentId, total, done, failed, failureIds } = task;
    const unchanged = { phase, position, lastContentId, total, done, failed, failureIds };
    await this.saveProgress(task, { ...unchanged, state: BATCH_TASK_STATE.CANCELLED, finishedAt: Date.now() });
  }

  private async saveProgress(
    task: BatchTaskEntity,
    progress: BatchProgress & Partial<Pick<BatchTaskEntity, 'contentIds'>>,
  ): Promise<void> {
    const now = Date.now();
    const isPublished = shouldPublishProgress(task, progress, now);
    await this.tasks.save(task, {
      ...progress,
      attempts: 0,
      nextRunAt: now,
      ...(isPublished ? { lastNotifiedAt: now } : {}),
    });
    if (progress.finishedAt !== null) await this.tasks.deleteFolders(task.taskId);
    if (isPublished) await this.publishProgress(task, progress, now);
  }

  private async publishProgress(
    { cloudId: cloudID, taskId: taskID, taskType, principal: by }: BatchTaskEntity,
    { state, total, done, failed }: BatchProgress,
    time: number,
  ): Promise<void> {
    const payload = { cloudID, taskID, taskType, by, state, total, done, failed, time };
    await this.outbox.append({ name: 'mcdisk.batch-task.changed', key: cloudID, payload });
  }

  /**
   * Handles the failure of a chunk, in a new transaction after the failed one. A `ServiceError` fails the items of the
   * chunk; after any other error the chunk is retried.
   */
  private async handleChunkFailure(claimed: BatchTaskEntity, error: unknown): Promise<void> {
    const isExpected = error instanceof ServiceError;
    if (!isExpected) this.logger.warn({ msg: 'Batch task chunk failed', taskId: claimed.taskId, err: error });
    await this.unitOfWork.run(async () => {
      const task = await this.tasks.lockOpen(claimed.taskId);
      // Another worker may have processed the chunk since it failed.
      if (!task || !hasSameCursor(task, claimed)) return;
      if (isExpected) await this.failChunk(task, error);
      else await this.postpone(task);
    });
  }

  private async failChunk(task: BatchTaskEntity, error: ServiceError): Promise<void> {
    const actor = await this.findActor(task);
    if (!actor) return this.cancel(task);
    if (error.reason === 'QUOTA_EXCEEDED') await this.tasks.save(task, { stopped: true });
    const chunk = await this.planner.nextChunk(task, actor.visibility);
    await this.recordOutcome(task, { doneCount: 0, failedIds: chunkIds(chunk) }, chunk);
  }

  private async postpone(task: BatchTaskEntity): Promise<void> {
    const attempts = task.attempts + 1;
    const stopped = attempts >= MAX_ATTEMPTS;
    const nextRunAt = Date.now() + FIRST_RETRY_DELAY_MS * 2 ** task.attempts;
    await this.tasks.save(task, stopped ? { stopped, attempts: 0 } : { attempts, nextRunAt });
  }
}

function hasSameCursor(first: BatchTaskEntity, second: BatchTaskEntity): boolean {
  const { phase, position, lastContentId } = second;
  return first.phase === phase && first.position === position && first.lastContentId === lastContentId;
}
