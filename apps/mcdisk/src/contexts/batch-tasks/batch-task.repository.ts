import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { BatchTaskEntity } from '@family-watch/domain/family-cloud/entities/batch-task.entities';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { CloudRepository } from '../clouds/cloud.repository.js';
import type { BatchProgress } from './batch-progress.js';
import { DELETE_FINISHED_TASKS } from './batch-tasks.sql.js';

/** Stores batch tasks. For each chunk a worker locks the task's row, before all other rows. */
@Injectable()
export class BatchTaskRepository {
  constructor(
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly clouds: CloudRepository,
  ) {}

  /**
   * Inserts the task unless the cloud has `limit` open tasks. Locks the cloud's row, so that concurrent inserts cannot
   * exceed the limit.
   * @returns false when the limit is reached
   */
  async insertWithinLimit(limit: number, task: BatchTaskEntity): Promise<boolean> {
    const { manager } = this.unitOfWork;
    await this.clouds.lock(task.cloudId);
    const open = await manager.countBy(BatchTaskEntity, { cloudId: task.cloudId, finishedAt: IsNull() });
    if (open >= limit) return false;
    await manager.insert(BatchTaskEntity, task);
    return true;
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
}
