import { Injectable, Logger } from '@nestjs/common';
import { BATCH_TASK_STATE, BATCH_TASK_TYPE } from '@family-watch/domain/family-cloud/contracts/batch-task';
import type { BatchTaskType } from '@family-watch/domain/family-cloud/contracts/batch-task';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entity';
import type { PrincipalKey, PrincipalType } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { DatabaseUnavailableError } from '@family-watch/platform/database/database-unavailable.error';
import { McdiskOutbox } from '../../infrastructure/mcdisk.outbox.js';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { chunkIds } from './batch-chunk.js';
import type { BatchChunk, BatchOperation } from './batch-chunk.js';
import { BatchChunkService } from './batch-chunk.service.js';
import { BatchPlanRepository } from './batch-plan.repository.js';
import { BatchPlannerService } from './batch-planner.service.js';
import { shouldPublishProgress, advanceProgress } from './batch-progress.js';
import type { BatchOutcome, BatchProgress } from './batch-progress.js';
import { canRunTask } from './batch-rights.js';
import { BatchTaskRepository } from './batch-task.repository.js';
import { CopyOperationService } from './copy-operation.service.js';
import { DeleteOperationService } from './delete-operation.service.js';
import { MoveOperationService } from './move-operation.service.js';

/** A part that breaks off so often in a row, for a reason that nobody foresaw, ends the task. */
const MAX_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 1_000;

/**
 * Goes on with batch tasks, one part in one unit of work: what was done, how far the task has come and what is told
 * of it are committed together. A part that is interrupted has not happened, and whoever is next does it again.
 */
@Injectable()
export class BatchRunnerService {
  private readonly logger = new Logger(BatchRunnerService.name);
  private readonly works: Readonly<Record<BatchTaskType, BatchOperation>>;

  constructor(
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly tasks: BatchTaskRepository,
    private readonly plans: BatchPlanRepository,
    private readonly planner: BatchPlannerService,
    private readonly parts: BatchChunkService,
    private readonly access: CloudAccessService,
    private readonly outbox: McdiskOutbox,
    copies: CopyOperationService,
    deletions: DeleteOperationService,
    moves: MoveOperationService,
  ) {
    this.works = {
      [BATCH_TASK_TYPE.COPY]: copies,
      [BATCH_TASK_TYPE.DELETE]: deletions,
      [BATCH_TASK_TYPE.MOVE]: moves,
    };
  }

  /**
   * The next part of the task whose turn it is; tasks take turns, so that a small one does not wait for a large one.
   * @returns false when nothing waits
   */
  async runNext(): Promise<boolean> {
    let taken: BatchTaskEntity | null = null;
    try {
      return await this.unitOfWork.run(async () => {
        taken = await this.tasks.claimDue(Date.now());
        if (taken) await this.turn(taken);
        return taken !== null;
      });
    } catch (error) {
      if (taken === null || error instanceof DatabaseUnavailableError) throw error;
      await this.giveUpPart(taken, error);
      return true;
    }
  }

  private async turn(task: BatchTaskEntity): Promise<void> {
    const actor = await this.actorOf(task);
    if (!actor) return this.cancel(task);
    if (task.phase === null) return this.begin(task, actor);
    const part = await this.parts.next(task, actor.visibility);
    await this.advance(task, await this.outcomeOf(task, actor, part), part);
  }

  /** Whoever began it, if they still may, as things stand now. */
  private async actorOf({ cloudId, principal, taskType }: BatchTaskEntity): Promise<CloudActor | undefined> {
    const actor = await this.access.find(cloudId, callerOf(principal));
    return actor && canRunTask(actor, taskType) ? actor : undefined;
  }

  private async begin(task: BatchTaskEntity, actor: CloudActor): Promise<void> {
    const { contentIds, outcome, total } = await this.planner.plan(task, actor);
    const planned = { ...task, contentIds, total };
    const progress = advanceProgress(planned, outcome, { phase: 0, position: 0, lastContentId: null }, Date.now());
    await this.keep(planned, { ...progress, contentIds });
  }

  private outcomeOf(task: BatchTaskEntity, actor: CloudActor, part: BatchChunk): Promise<BatchOutcome> {
    if (task.stopped) return Promise.resolve({ done: 0, failed: chunkIds(part) });
    const work = this.works[task.taskType];
    if (part.folders.length > 0) return work.processFolders(task, actor, part);
    if (part.contents.length > 0) return work.processContents(task, actor, part);
    return Promise.resolve({ done: 0, failed: [] });
  }

  private async advance(task: BatchTaskEntity, outcome: BatchOutcome, { next }: BatchChunk): Promise<void> {
    await this.keep(task, advanceProgress(task, outcome, next, Date.now()));
  }

  private async cancel(task: BatchTaskEntity): Promise<void> {
    const { phase, position, lastContentId, total, done, failed, failureIds } = task;
    const standing = { phase, position, lastContentId, total, done, failed, failureIds };
    await this.keep(task, { ...standing, state: BATCH_TASK_STATE.CANCELLED, finishedAt: Date.now() });
  }

  private async keep(
    task: BatchTaskEntity,
    progress: BatchProgress & Partial<Pick<BatchTaskEntity, 'contentIds'>>,
  ): Promise<void> {
    const now = Date.now();
    const tells = shouldPublishProgress(task, progress, now);
    await this.tasks.save(task, {
      ...progress,
      attempts: 0,
      nextRunAt: now,
      ...(tells ? { lastNotifiedAt: now } : {}),
    });
    if (progress.finishedAt !== null) await this.plans.deleteFolders(task.taskId);
    if (tells) await this.tell(task, progress, now);
  }

  private async tell(
    { cloudId: cloudID, taskId: taskID, taskType, principal: by }: BatchTaskEntity,
    { state, total, done, failed }: BatchProgress,
    time: number,
  ): Promise<void> {
    const payload = { cloudID, taskID, taskType, by, state, total, done, failed, time };
    await this.outbox.append({ name: 'mcdisk.batch-task.changed', key: cloudID, payload });
  }

  /** In a unit of its own, after the one that broke off: what was foreseen fails the part, else it is tried again. */
  private async giveUpPart(taken: BatchTaskEntity, error: unknown): Promise<void> {
    const isForeseen = error instanceof ServiceError;
    if (!isForeseen) this.logger.warn({ msg: 'Batch task chunk failed', taskId: taken.taskId, err: error });
    await this.unitOfWork.run(async () => {
      const task = await this.tasks.lockOpen(taken.taskId);
      // Another worker may have gone on with it meanwhile.
      if (!task || !isAtSamePlace(task, taken)) return;
      if (isForeseen) await this.failPart(task, error);
      else await this.postpone(task);
    });
  }

  private async failPart(task: BatchTaskEntity, error: ServiceError): Promise<void> {
    const actor = await this.actorOf(task);
    if (!actor) return this.cancel(task);
    if (error.reason === 'QUOTA_EXCEEDED') await this.tasks.save(task, { stopped: true });
    const part = await this.parts.next(task, actor.visibility);
    await this.advance(task, { done: 0, failed: chunkIds(part) }, part);
  }

  private async postpone(task: BatchTaskEntity): Promise<void> {
    const attempts = task.attempts + 1;
    const stopped = attempts >= MAX_ATTEMPTS;
    const nextRunAt = Date.now() + FIRST_PAUSE_MS * 2 ** task.attempts;
    await this.tasks.save(task, stopped ? { stopped, attempts: 0 } : { attempts, nextRunAt });
  }
}

function isAtSamePlace(one: BatchTaskEntity, other: BatchTaskEntity): boolean {
  const { phase, position, lastContentId } = other;
  return one.phase === phase && one.position === position && one.lastContentId === lastContentId;
}

function callerOf(principal: PrincipalKey): { type: PrincipalType; id: string } {
  const separator = principal.indexOf(':');
  return { type: principal.slice(0, separator) as PrincipalType, id: principal.slice(separator + 1) };
}
