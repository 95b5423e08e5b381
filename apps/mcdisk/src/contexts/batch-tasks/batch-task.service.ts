import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  BATCH_TASK_STATE,
  BATCH_TASK_TYPE,
  MAX_BATCH_TASK_ITEMS,
  MAX_OPEN_BATCH_TASKS_PER_CLOUD,
} from '@family-watch/domain/family-cloud/contracts/batch-task';
import type {
  BatchOprTaskDetailDto,
  BatchOprTaskIdDto,
  CreateBatchOprTaskDto,
  QueryBatchOprTaskDetailDto,
} from '@family-watch/domain/family-cloud/dto/batch-opr-task.dto';
import type { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entity';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { FolderLookupService } from '../folders/folder-lookup.service.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { assertSupportedTypes } from '../clouds/supported-types.js';
import { canRunTask } from './batch-rights.js';
import { BatchTaskJob } from './batch-task.job.js';
import { BatchTaskRepository } from './batch-task.repository.js';

/** Copying, deleting and moving many contents and whole folders: begun here, done by the job. */
@Injectable()
export class BatchTaskService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly catalogs: FolderLookupService,
    private readonly tasks: BatchTaskRepository,
    private readonly job: BatchTaskJob,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * The task is on disk when this resolves.
   * @throws ServiceError VALIDATION_FAILED, PERMISSION_MISSING, CATALOG_NOT_FOUND for the destination, LIMIT_REACHED
   */
  async create(caller: Principal, request: CreateBatchOprTaskDto): Promise<BatchOprTaskIdDto> {
    assertSupportedTypes(request);
    const { cloudID, taskType, contentIDList = [], catalogIDList = [] } = request;
    const named = { contentIds: [...new Set(contentIDList)], folderIds: [...new Set(catalogIDList)] };
    assertNamed(named);
    assertDestination(request);
    const actor = await this.access.authorize(cloudID, caller);
    if (!canRunTask(actor, taskType)) throw new ServiceError('PERMISSION_MISSING');
    const { destCatalogID: catalogID, destPath: path } = request;
    const { folderId } = await this.catalogs.getOrThrow(cloudID, { catalogID, path });
    const task = newTask({
      ...named,
      cloudId: cloudID,
      taskType,
      principal: actor.principal,
      destFolderId: folderId,
    });
    if (!(await this.begin(task))) throw new ServiceError('LIMIT_REACHED');
    return { taskID: task.taskId };
  }

  /** For who began it. @throws ServiceError TASK_NOT_FOUND also for what is over for a week */
  async detail(caller: Principal, request: QueryBatchOprTaskDetailDto): Promise<BatchOprTaskDetailDto> {
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

  private begin(task: BatchTaskEntity): Promise<boolean> {
    return this.unitOfWork.run(async () => {
      const begun = await this.tasks.insertWithinLimit(MAX_OPEN_BATCH_TASKS_PER_CLOUD, task);
      if (begun) this.unitOfWork.afterCommit(() => this.job.trigger());
      return begun;
    });
  }
}

interface NamedThings {
  contentIds: readonly string[];
  folderIds: readonly string[];
}

function assertNamed({ contentIds, folderIds }: NamedThings): void {
  const count = contentIds.length + folderIds.length;
  if (count === 0) throw validationError('contentIDList', 'isSomething', 'name at least one content or folder');
  if (count > MAX_BATCH_TASK_ITEMS) {
    throw validationError('contentIDList', 'arrayMaxSize', `name at most ${MAX_BATCH_TASK_ITEMS} contents and folders`);
  }
}

/** Empty names the root catalog, but it has to be said; what is deleted goes to the recycle bin and nowhere else. */
function assertDestination({ taskType, destCatalogID, destPath }: CreateBatchOprTaskDto): void {
  if (taskType === BATCH_TASK_TYPE.DELETE) {
    if (`${destCatalogID ?? ''}${destPath ?? ''}` === '') return;
    throw validationError('destCatalogID', 'isAbsent', 'deleting has no destination');
  }
  if (destCatalogID === undefined && destPath === undefined) {
    throw validationError('destCatalogID', 'isPresent', 'say where to copy or move');
  }
}

/** What is no id at all has failed before it begins. */
function newTask(
  task: NamedThings & Pick<BatchTaskEntity, 'cloudId' | 'taskType' | 'destFolderId'> & { principal: PrincipalKey },
): BatchTaskEntity {
  const named = [...task.contentIds, ...task.folderIds];
  const malformed = named.filter((id) => !isUuid(id));
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
    total: named.length,
    done: 0,
    failed: malformed.length,
    failureIds: malformed,
    nextRunAt: now,
    lastNotifiedAt: null,
    createdAt: now,
    finishedAt: null,
  };
}
