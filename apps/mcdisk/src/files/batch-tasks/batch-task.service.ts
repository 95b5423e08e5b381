import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  BATCH_TASK_RETENTION_MS,
  BATCH_TASK_STATE,
  BATCH_TASK_TYPE,
  MAX_BATCH_TASK_ITEMS,
  MAX_OPEN_BATCH_TASKS_PER_CLOUD,
} from '@family-watch/domain/family-cloud/contracts/cloud-task';
import type {
  BatchOprTaskDetailDto,
  BatchOprTaskIdDto,
  CreateBatchOprTaskDto,
  QueryBatchOprTaskDetailDto,
} from '@family-watch/domain/family-cloud/dto/batch-opr-task.dto';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { FolderService } from '../folders/folder.service.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import { assertSupportedTypes } from '../../clouds/cloud-request.js';
import { canRunTask } from './batch-progress.js';
import { BATCH_TASK_JOB } from './batch-runner.service.js';
import { BatchTaskRepository } from './batch-task.repository.js';

const RETENTION_BATCH_SIZE = 1_000;

/**
 * Creates batch tasks, which copy, delete or move many contents and whole folders, and reports their progress.
 * `BatchRunnerService` processes the tasks.
 */
@Injectable()
export class BatchTaskService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly folders: FolderService,
    private readonly tasks: BatchTaskRepository,
    private readonly jobs: JobScheduler,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * Creates a task. The task is durable when the promise resolves.
   * @throws ServiceError VALIDATION_FAILED, PERMISSION_MISSING, CATALOG_NOT_FOUND for the destination, LIMIT_REACHED
   */
  async create(caller: Principal, request: CreateBatchOprTaskDto): Promise<BatchOprTaskIdDto> {
    assertSupportedTypes(request);
    const { cloudID, taskType, contentIDList = [], catalogIDList = [] } = request;
    const requested = { contentIds: [...new Set(contentIDList)], folderIds: [...new Set(catalogIDList)] };
    assertItems(requested);
    assertDestination(request);
    const actor = await this.access.authorize(cloudID, caller);
    if (!canRunTask(actor, taskType)) throw new ServiceError('PERMISSION_MISSING');
    const { destCatalogID: catalogID, destPath: path } = request;
    const { folderId } = await this.folders.getOrThrow(cloudID, { catalogID, path });
    const task = createTaskEntity({
      ...requested,
      cloudId: cloudID,
      taskType,
      principal: actor.principal,
      destFolderId: folderId,
    });
    if (!(await this.insert(task))) throw new ServiceError('LIMIT_REACHED');
    return { taskID: task.taskId };
  }

  /**
   * Returns the state of a task that the caller created.
   * @throws ServiceError TASK_NOT_FOUND, also for a task of another caller and when the task finished more than a week
   * ago
   */
  async findDetail(caller: Principal, request: QueryBatchOprTaskDetailDto): Promise<BatchOprTaskDetailDto> {
    assertSupportedTypes(request);
    const { cloudID, taskID } = request;
    const { principal } = await this.access.authorize(cloudID, caller);
    const task = isUuid(taskID) ? await this.tasks.find(cloudID, taskID, principal) : null;
    if (!task) throw new ServiceError('TASK_NOT_FOUND');
    const { taskType, state, total, done, failed, failureIds, createdAt, finishedAt } = task;
    return {
      taskID,
      taskType,
      state,
      total,
      done,
      failed,
      failureIDList: failureIds,
      createTime: createdAt,
      finishTime: finishedAt,
    };
  }

  /**
   * Deletes batch tasks a week after they finished.
   * @param now Unix milliseconds
   */
  @OnJob('mcdisk.batch-tasks.delete-finished', { intervalMs: 60 * 60_000 })
  async deleteFinished(now: number): Promise<void> {
    const before = now - BATCH_TASK_RETENTION_MS;
    while ((await this.tasks.deleteFinished(before, RETENTION_BATCH_SIZE)) === RETENTION_BATCH_SIZE);
  }

  private insert(task: BatchTaskEntity): Promise<boolean> {
    return this.unitOfWork.run(async () => {
      const inserted = await this.tasks.insertWithinLimit(MAX_OPEN_BATCH_TASKS_PER_CLOUD, task);
      if (inserted) this.unitOfWork.afterCommit(() => this.jobs.trigger(BATCH_TASK_JOB));
      return inserted;
    });
  }
}

interface RequestedItems {
  contentIds: readonly string[];
  folderIds: readonly string[];
}

function assertItems({ contentIds, folderIds }: RequestedItems): void {
  const count = contentIds.length + folderIds.length;
  if (count === 0) throw validationError('contentIDList', 'isSomething', 'send at least one content or folder');
  if (count > MAX_BATCH_TASK_ITEMS) {
    throw validationError('contentIDList', 'arrayMaxSize', `send at most ${MAX_BATCH_TASK_ITEMS} contents and folders`);
  }
}

/**
 * Checks that a copy or move has a destination and that a deletion has none. An empty destination means the root
 * folder.
 */
function assertDestination({ taskType, destCatalogID, destPath }: CreateBatchOprTaskDto): void {
  if (taskType === BATCH_TASK_TYPE.DELETE) {
    if (`${destCatalogID ?? ''}${destPath ?? ''}` === '') return;
    throw validationError('destCatalogID', 'isAbsent', 'must be omitted or empty for a deletion');
  }
  if (destCatalogID === undefined && destPath === undefined) {
    throw validationError('destCatalogID', 'isPresent', 'send destCatalogID or destPath, empty for the root folder');
  }
}

/** Creates the row of a task. Malformed ids count as failed from the beginning. */
function createTaskEntity(
  task: RequestedItems & Pick<BatchTaskEntity, 'cloudId' | 'taskType' | 'destFolderId'> & { principal: PrincipalKey },
): BatchTaskEntity {
  const requested = [...task.contentIds, ...task.folderIds];
  const malformed = requested.filter((id) => !isUuid(id));
  const now = Date.now();
  return {
    ...task,
    taskId: randomUUID(),
    state: BATCH_TASK_STATE.WAITING,
    contentIds: task.contentIds.filter(isUuid),
    folderIds: task.folderIds.filter(isUuid),
    phase: null,
    position: 0,
    lastContentId: null,
    stopped: false,
    attempts: 0,
    total: requested.length,
    done: 0,
    failed: malformed.length,
    failureIds: malformed,
    nextRunAt: now,
    lastNotifiedAt: null,
    createdAt: now,
    finishedAt: null,
  };
}
