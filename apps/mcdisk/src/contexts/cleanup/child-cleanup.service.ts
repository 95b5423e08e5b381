import { Injectable } from '@nestjs/common';
import { CloudCleanupRepository } from './cloud-cleanup.repository.js';
import { ContentCleanupRepository } from './content-cleanup.repository.js';
import { CLEANUP_BATCH_SIZE, CLEANUP_STATE } from './cleanup-task.js';
import type { CleanupTask, NextCleanupStep } from './cleanup-task.js';
import { ContentRecyclingService } from './content-recycling.service.js';

const { WAITING, WATCHED, FORGETTING } = CLEANUP_STATE;

/** How often it is looked for what was taken back from the recycle bin, milliseconds. */
const LOOK_AGAIN_MS = 10 * 60_000;

/**
 * An erased child's contents go to the recycle bin. What the family takes back from there is the family's own from
 * then on, and no longer the child's; with the last of them the child's id is forgotten.
 */
@Injectable()
export class ChildCleanupService {
  constructor(
    private readonly contents: ContentCleanupRepository,
    private readonly clouds: CloudCleanupRepository,
    private readonly recycling: ContentRecyclingService,
  ) {}

  async step(ending: CleanupTask, now: number): Promise<NextCleanupStep | undefined> {
    const { subject: cid, cloudId, state } = ending;
    if (cloudId === null) return undefined;
    if (state === WAITING) return this.recycle(cloudId, cid, now);
    if (state === WATCHED) return this.watch(cloudId, cid, now);
    const cursor = await this.contents.cleanPage(ending);
    return cursor === undefined ? undefined : { state: FORGETTING, cursor, dueAt: now };
  }

  private async recycle(cloudId: string, cid: string, now: number): Promise<NextCleanupStep> {
    const active = await this.contents.lockActiveOfChild(cloudId, cid, CLEANUP_BATCH_SIZE);
    if (active.length > 0) {
      await this.recycling.recycle(cloudId, active, now);
      return { state: WAITING, cursor: null, dueAt: now };
    }
    await this.clouds.reassignAlbumsToFamily(cloudId, cid);
    return { state: WATCHED, cursor: null, dueAt: now + LOOK_AGAIN_MS };
  }

  private async watch(cloudId: string, cid: string, now: number): Promise<NextCleanupStep> {
    const takenBack = await this.contents.lockActiveOfChild(cloudId, cid, CLEANUP_BATCH_SIZE);
    if (takenBack.length > 0) {
      await this.contents.reassignToFamily(takenBack.map(({ contentId }) => contentId));
      return { state: WATCHED, cursor: null, dueAt: now };
    }
    if (await this.contents.hasRecycledOfChild(cloudId, cid)) {
      return { state: WATCHED, cursor: null, dueAt: now + LOOK_AGAIN_MS };
    }
    return { state: FORGETTING, cursor: null, dueAt: now };
  }
}
