import { Injectable } from '@nestjs/common';
import { CLEANUP_STATE } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import type { CleanupTaskEntity } from '@family-watch/domain/family-cloud/entities/family-cloud.entities';
import { CloudCleanupRepository } from './cloud-cleanup.repository.js';
import { ContentCleanupRepository } from './content-cleanup.repository.js';
import { CLEANUP_BATCH_SIZE } from './cleanup-task.js';
import type { NextCleanupStep } from './cleanup-task.js';
import { ContentDeletionService } from '../files/contents/content-deletion.service.js';

const { WAITING, WATCHED, FORGETTING } = CLEANUP_STATE;

/** Interval at which a task checks whether contents of the child were restored from the recycle bin. */
const POLL_INTERVAL_MS = 10 * 60_000;

/**
 * Moves an erased child's contents to the recycle bin. Contents that a member restores from the recycle bin are
 * reassigned from the child to the family. When no content of the child is left in the recycle bin, the child's id is
 * removed from all contents.
 */
@Injectable()
export class ChildCleanupService {
  constructor(
    private readonly contents: ContentCleanupRepository,
    private readonly clouds: CloudCleanupRepository,
    private readonly deletion: ContentDeletionService,
  ) {}

  async step(task: CleanupTaskEntity, now: number): Promise<NextCleanupStep | undefined> {
    const { subject: cid, cloudId, state } = task;
    if (cloudId === null) return undefined;
    if (state === WAITING) return this.recycle(cloudId, cid, now);
    if (state === WATCHED) return this.reassignRestored(cloudId, cid, now);
    const cursor = await this.contents.cleanPage(task);
    return cursor === undefined ? undefined : { state: FORGETTING, cursor, dueAt: now };
  }

  private async recycle(cloudId: string, cid: string, now: number): Promise<NextCleanupStep> {
    const active = await this.contents.lockActiveOfChild(cloudId, cid, CLEANUP_BATCH_SIZE);
    if (active.length > 0) {
      await this.deletion.recycleLocked(cloudId, active, now);
      return { state: WAITING, cursor: null, dueAt: now };
    }
    await this.clouds.reassignAlbumsToFamily(cloudId, cid);
    return { state: WATCHED, cursor: null, dueAt: now + POLL_INTERVAL_MS };
  }

  private async reassignRestored(cloudId: string, cid: string, now: number): Promise<NextCleanupStep> {
    const restored = await this.contents.lockActiveOfChild(cloudId, cid, CLEANUP_BATCH_SIZE);
    if (restored.length > 0) {
      await this.contents.reassignToFamily(restored.map(({ contentId }) => contentId));
      return { state: WATCHED, cursor: null, dueAt: now };
    }
    if (await this.contents.hasRecycledOfChild(cloudId, cid)) {
      return { state: WATCHED, cursor: null, dueAt: now + POLL_INTERVAL_MS };
    }
    return { state: FORGETTING, cursor: null, dueAt: now };
  }
}
