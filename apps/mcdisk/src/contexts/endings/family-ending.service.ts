import { Injectable } from '@nestjs/common';
import { PurgingService } from '../recycle-bin/purging.service.js';
import { RecycleBinRepository } from '../recycle-bin/recycle-bin.repository.js';
import { EndedCloudRepository } from './ended-cloud.repository.js';
import { EndedContentRepository } from './ended-content.repository.js';
import { ENDING_BATCH, ENDING_STATE } from './ending.js';
import type { Ending, NextStep } from './ending.js';
import { EndingRepository } from './ending.repository.js';
import { Recycling } from './recycling.service.js';

const { WAITING, FORGETTING } = ENDING_STATE;

/** Somebody has locked what is left, milliseconds. */
const LOCKED_REST_MS = 10_000;

/** The cloud of a family that has been dissolved for long enough is emptied for good, a little at a time. */
@Injectable()
export class FamilyEnding {
  constructor(
    private readonly endings: EndingRepository,
    private readonly contents: EndedContentRepository,
    private readonly clouds: EndedCloudRepository,
    private readonly bin: RecycleBinRepository,
    private readonly purging: PurgingService,
    private readonly recycling: Recycling,
  ) {}

  async step(ending: Ending, now: number): Promise<NextStep | undefined> {
    const family = await this.endings.findFamily(ending.subject);
    // It stands again: what has not gone yet stays.
    if (!family?.dissolved) return undefined;
    return ending.state === WAITING ? this.purge(ending.subject, now) : this.forget(ending, now);
  }

  private async purge(cloudId: string, now: number): Promise<NextStep> {
    const again = { state: WAITING, cursor: null, dueAt: now };
    const active = await this.contents.lockActive(cloudId, ENDING_BATCH);
    if (active.length > 0) {
      await this.recycling.recycle(cloudId, active, now);
      return again;
    }
    const recycled = await this.bin.take(cloudId, { from: 0, until: Number.MAX_SAFE_INTEGER, limit: ENDING_BATCH });
    if (recycled.length > 0) {
      await this.purging.purge(recycled, null, now);
      return again;
    }
    const isBusy = await this.bin.hasAny(cloudId, Number.MAX_SAFE_INTEGER);
    return isBusy ? { ...again, dueAt: now + LOCKED_REST_MS } : { ...again, state: FORGETTING };
  }

  private async forget(ending: Ending, now: number): Promise<NextStep | undefined> {
    const cursor = await this.contents.forgetPage(ending);
    if (cursor !== undefined) return { state: FORGETTING, cursor, dueAt: now };
    await this.clouds.empty(ending.subject);
    return undefined;
  }
}
