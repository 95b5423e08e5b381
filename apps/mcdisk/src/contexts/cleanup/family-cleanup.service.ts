import { Injectable } from '@nestjs/common';
import { ContentPurgeService } from '../recycle-bin/content-purge.service.js';
import { RecycleBinRepository } from '../recycle-bin/recycle-bin.repository.js';
import { CloudCleanupRepository } from './cloud-cleanup.repository.js';
import { ContentCleanupRepository } from './content-cleanup.repository.js';
import { CLEANUP_BATCH_SIZE, CLEANUP_STATE } from './cleanup-task.js';
import type { CleanupTask, NextCleanupStep } from './cleanup-task.js';
import { CleanupTaskRepository } from './cleanup-task.repository.js';
import { ContentRecyclingService } from './content-recycling.service.js';

const { WAITING, FORGETTING } = CLEANUP_STATE;

/** Somebody has locked what is left, milliseconds. */
const LOCKED_REST_MS = 10_000;

/** The cloud of a family that has been dissolved for long enough is emptied for good, a little at a time. */
@Injectable()
export class FamilyCleanupService {
  constructor(
    private readonly endings: CleanupTaskRepository,
    private readonly contents: ContentCleanupRepository,
    private readonly clouds: CloudCleanupRepository,
    private readonly bin: RecycleBinRepository,
    private readonly purging: ContentPurgeService,
    private readonly recycling: ContentRecyclingService,
  ) {}

  async step(ending: CleanupTask, now: number): Promise<NextCleanupStep | undefined> {
    const family = await this.endings.findFamily(ending.subject);
    // It stands again: what has not gone yet stays.
    if (!family?.dissolved) return undefined;
    return ending.state === WAITING ? this.purge(ending.subject, now) : this.forget(ending, now);
  }

  private async purge(cloudId: string, now: number): Promise<NextCleanupStep> {
    const again = { state: WAITING, cursor: null, dueAt: now };
    const active = await this.contents.lockActive(cloudId, CLEANUP_BATCH_SIZE);
    if (active.length > 0) {
      await this.recycling.recycle(cloudId, active, now);
      return again;
    }
    const recycled = await this.bin.claim(cloudId, {
      from: 0,
      until: Number.MAX_SAFE_INTEGER,
      limit: CLEANUP_BATCH_SIZE,
    });
    if (recycled.length > 0) {
      await this.purging.purge(recycled, null, now);
      return again;
    }
    const isBusy = await this.bin.hasAny(cloudId, Number.MAX_SAFE_INTEGER);
    return isBusy ? { ...again, dueAt: now + LOCKED_REST_MS } : { ...again, state: FORGETTING };
  }

  private async forget(ending: CleanupTask, now: number): Promise<NextCleanupStep | undefined> {
    const cursor = await this.contents.cleanPage(ending);
    if (cursor !== undefined) return { state: FORGETTING, cursor, dueAt: now };
    await this.clouds.empty(ending.subject);
    return undefined;
  }
}
