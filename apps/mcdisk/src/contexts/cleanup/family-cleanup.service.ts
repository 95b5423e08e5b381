import { Injectable } from '@nestjs/common';
import { CLEANUP_STATE } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import type { CleanupTaskEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entities';
import { ContentDeletionService } from '../files/contents/content-deletion.service.js';
import { RecycleBinRepository } from '../files/recycle-bin/recycle-bin.repository.js';
import { CloudCleanupRepository } from './cloud-cleanup.repository.js';
import { ContentCleanupRepository } from './content-cleanup.repository.js';
import { CLEANUP_BATCH_SIZE } from './cleanup-task.js';
import type { NextCleanupStep } from './cleanup-task.js';
import { CleanupTaskRepository } from './cleanup-task.repository.js';

const { WAITING, FORGETTING } = CLEANUP_STATE;

/** Delay of the next step when other transactions have locked the remaining contents. */
const LOCKED_RETRY_DELAY_MS = 10_000;

/** Permanently deletes the cloud of a dissolved family after its retention, in small steps. */
@Injectable()
export class FamilyCleanupService {
  constructor(
    private readonly tasks: CleanupTaskRepository,
    private readonly contents: ContentCleanupRepository,
    private readonly clouds: CloudCleanupRepository,
    private readonly recycleBin: RecycleBinRepository,
    private readonly deletion: ContentDeletionService,
  ) {}

  async step(task: CleanupTaskEntity, now: number): Promise<NextCleanupStep | undefined> {
    const family = await this.tasks.findFamily(task.subject);
    // When the family is no longer dissolved, the task ends, and the data that is not yet deleted stays.
    if (!family?.snapshot.dissolved) return undefined;
    return task.state === WAITING ? this.purge(task.subject, now) : this.cleanContents(task, now);
  }

  private async purge(cloudId: string, now: number): Promise<NextCleanupStep> {
    const repeat = { state: WAITING, cursor: null, dueAt: now };
    const active = await this.contents.lockActive(cloudId, CLEANUP_BATCH_SIZE);
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
    const isBusy = await this.recycleBin.hasAny(cloudId, Number.MAX_SAFE_INTEGER);
    return isBusy ? { ...repeat, dueAt: now + LOCKED_RETRY_DELAY_MS } : { ...repeat, state: FORGETTING };
  }

  private async cleanContents(task: CleanupTaskEntity, now: number): Promise<NextCleanupStep | undefined> {
    const cursor = await this.contents.cleanPage(task);
    if (cursor !== undefined) return { state: FORGETTING, cursor, dueAt: now };
    await this.clouds.deleteRows(task.subject);
    return undefined;
  }
}
