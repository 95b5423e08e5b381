import { Injectable } from '@nestjs/common';
import { ArrayOverlap, IsNull } from 'typeorm';
import { FOLDER_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import { FolderEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { BatchTaskEntity, BatchTaskFolderEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { CloudRepository } from '../../clouds/cloud.repository.js';
import type { BatchProgress, BatchCursor } from './batch-progress.js';
import type { Visibility } from '../../clouds/cloud-actor.js';
import { MIN_UUID } from '@family-watch/domain/kernel/contracts/identifier';
import { visibilityParameters, visibilityCondition } from '../../clouds/visibility-condition.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const DELETE_FINISHED_TASKS = `
  DELETE FROM mcdisk.batch_task WHERE task_id IN (
    SELECT task_id FROM mcdisk.batch_task WHERE finished_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING task_id`;

const FIND_DESCENDANTS = prepared(`
  SELECT content.content_id AS "contentId"
    FROM mcdisk.content content JOIN mcdisk.catalog catalog ON catalog.catalog_id = content.parent_catalog_id
   WHERE content.cloud_id = $1 AND content.content_id = ANY($2::uuid[]) AND content.state = 'ACTIVE'
     AND catalog.state = 'ACTIVE' AND catalog.chain && $3::uuid[] AND ${visibilityCondition('content.cid', 4)}`);

const COUNT_VISIBLE_CONTENTS = prepared(`
  SELECT count(*)::int AS count FROM mcdisk.content
   WHERE cloud_id = $1 AND parent_catalog_id = ANY($2::uuid[]) AND state = 'ACTIVE' AND ${visibilityCondition('cid', 3)}`);

const INSERT_TASK_FOLDERS = `
  INSERT INTO mcdisk.batch_task_folder (task_id, position, catalog_id, parent_position)
  SELECT $1, * FROM unnest($2::int[], $3::uuid[], $4::int[])`;

/** Applies the limit also to each folder, so that a chunk does not read all contents of a large folder. */
const LIST_NEXT_CONTENTS = prepared(`
  SELECT folder.position, content.content_id AS "contentId", folder.target_id AS "targetId"
    FROM mcdisk.batch_task_folder folder
   CROSS JOIN LATERAL (
     SELECT content_id FROM mcdisk.content
      WHERE parent_catalog_id = folder.catalog_id AND cloud_id = $2 AND state = 'ACTIVE'
        AND content_id > CASE folder.position WHEN $3 THEN $4::uuid ELSE '${MIN_UUID}' END
        AND ${visibilityCondition('cid', 6)}
      ORDER BY content_id LIMIT $5) content
   WHERE folder.task_id = $1 AND folder.position >= $3
   ORDER BY folder.position, content.content_id LIMIT $5`);

/** The columns of a folder that planning needs. */
export type TreeFolder = Pick<FolderEntity, 'folderId' | 'parentFolderId' | 'pathIds'>;

/** A content of a planned folder. `targetId` is the id of the folder's copy. */
export interface PlannedContent {
  position: number;
  contentId: string;
  targetId: string | null;
}

/** Stores batch tasks. For each chunk a worker locks the task's row, before all other rows. */
@Injectable()
export class BatchTaskRepository {
  constructor(
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly clouds: CloudRepository,
  ) {}

  /** Inserts the task unless the cloud has `limit` open tasks. Returns false when the limit is reached. */
  insertWithinLimit(limit: number, task: BatchTaskEntity): Promise<boolean> {
    const countedRows = { cloudId: task.cloudId, finishedAt: IsNull() };
    return this.clouds.insertWithinLimit(BatchTaskEntity, task, { limit, countedRows });
  }

  find(cloudId: string, taskId: string, principal: PrincipalKey): Promise<BatchTaskEntity | null> {
    return this.unitOfWork.manager.findOneBy(BatchTaskEntity, { cloudId, taskId, principal });
  }

  /**
   * Claims the task of any cloud that has been due longest, skipping tasks that another worker has locked. The lock is
   * released at commit, or with the connection when the worker crashes.
   * @param now Unix milliseconds
   */
  claimDue(now: number): Promise<BatchTaskEntity | null> {
    return this.unitOfWork.manager
      .createQueryBuilder(BatchTaskEntity, 'task')
      .where('task.finishedAt IS NULL AND task.nextRunAt <= :now', { now })
      .orderBy('task.nextRunAt')
      .limit(1)
      .setLock('for_no_key_update')
      .setOnLocked('skip_locked')
      .getOne();
  }

  /** Locks an unfinished task of any cloud. */
  lockOpen(taskId: string): Promise<BatchTaskEntity | null> {
    return this.unitOfWork.manager.findOne(BatchTaskEntity, {
      where: { taskId, finishedAt: IsNull() },
      lock: { mode: 'for_no_key_update' },
    });
  }

  async save(
    { taskId, cloudId }: BatchTaskEntity,
    changes: Partial<BatchProgress> &
      Partial<Pick<BatchTaskEntity, 'contentIds' | 'stopped' | 'attempts' | 'nextRunAt' | 'lastNotifiedAt'>>,
  ): Promise<void> {
    await this.unitOfWork.manager.update(BatchTaskEntity, { taskId, cloudId }, changes);
  }

  /** Deletes at most `limit` tasks that finished before `time` (Unix milliseconds); returns their number. */
  async deleteFinished(time: number, limit: number): Promise<number> {
    const rows = await this.unitOfWork.executor.query(DELETE_FINISHED_TASKS, [time, limit]);
    return rows.length;
  }

  /** Returns the active folders among the ids and all their active descendants. */
  findTrees(cloudId: string, folderIds: readonly string[]): Promise<TreeFolder[]> {
    return this.unitOfWork.manager.find(FolderEntity, {
      select: { folderId: true, parentFolderId: true, pathIds: true },
      where: { cloudId, state: FOLDER_STATE.ACTIVE, pathIds: ArrayOverlap([...folderIds]) },
    });
  }

  /** Returns the contents of the task that are active, visible and in one of the folders or their descendants. */
  async findDescendants(
    { cloudId, contentIds }: BatchTaskEntity,
    folderIds: readonly string[],
    visibility: Visibility,
  ): Promise<Set<string>> {
    const rows = await this.unitOfWork.executor.query<{ contentId: string }>(FIND_DESCENDANTS, [
      cloudId,
      contentIds,
      folderIds,
      ...visibilityParameters(visibility),
    ]);
    return new Set(rows.map(({ contentId }) => contentId));
  }

  async countContents(cloudId: string, folderIds: readonly string[], visibility: Visibility): Promise<number> {
    const [row] = await this.unitOfWork.executor.query<{ count: number }>(COUNT_VISIBLE_CONTENTS, [
      cloudId,
      folderIds,
      ...visibilityParameters(visibility),
    ]);
    return row?.count ?? 0;
  }

  async insertFolders(taskId: string, folders: readonly Omit<BatchTaskFolderEntity, 'taskId'>[]): Promise<void> {
    await this.unitOfWork.executor.query(INSERT_TASK_FOLDERS, [
      taskId,
      ...columnsOf(folders, 'position', 'folderId', 'parentPosition'),
    ]);
  }

  async deleteFolders(taskId: string): Promise<void> {
    await this.unitOfWork.manager.delete(BatchTaskFolderEntity, { taskId });
  }

  findFolder(taskId: string, position: number): Promise<BatchTaskFolderEntity | null> {
    return this.unitOfWork.manager.findOneBy(BatchTaskFolderEntity, { taskId, position });
  }

  /**
   * Returns the requested folder at `position` and its descendants, which have the positions up to the next requested
   * folder.
   */
  findRequestedTree(taskId: string, position: number): Promise<BatchTaskFolderEntity[]> {
    return this.unitOfWork.manager
      .createQueryBuilder(BatchTaskFolderEntity, 'folder')
      .where('folder.taskId = :taskId AND folder.position >= :position', { taskId, position })
      .andWhere(
        `folder.position < coalesce((SELECT min(next.position) FROM mcdisk.batch_task_folder next
          WHERE next.task_id = :taskId AND next.position > :position AND next.parent_position IS NULL), 2147483647)`,
      )
      .orderBy('folder.position')
      .getMany();
  }

  async setTarget({ taskId, position }: BatchTaskFolderEntity, targetId: string): Promise<void> {
    await this.unitOfWork.manager.update(BatchTaskFolderEntity, { taskId, position }, { targetFolderId: targetId });
  }

  /** Returns the active, visible contents of the planned folders that come after the cursor. */
  nextContents(
    { taskId, cloudId }: BatchTaskEntity,
    { position, lastContentId }: BatchCursor,
    visibility: Visibility,
    limit: number,
  ): Promise<PlannedContent[]> {
    return this.unitOfWork.executor.query<PlannedContent>(LIST_NEXT_CONTENTS, [
      taskId,
      cloudId,
      position,
      lastContentId ?? MIN_UUID,
      limit,
      ...visibilityParameters(visibility),
    ]);
  }
}
