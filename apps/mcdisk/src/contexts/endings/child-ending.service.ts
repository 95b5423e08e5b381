import { Injectable } from '@nestjs/common';
import { EndedCloudRepository } from './ended-cloud.repository.js';
import { EndedContentRepository } from './ended-content.repository.js';
import { ENDING_BATCH, ENDING_STATE } from './ending.js';
import type { Ending, NextStep } from './ending.js';
import { Recycling } from './recycling.service.js';

const { WAITING, WATCHED, FORGETTING } = ENDING_STATE;

/** How often it is looked for what was taken back from the recycle bin, milliseconds. */
const LOOK_AGAIN_MS = 10 * 60_000;

/**
 * An erased child's contents go to the recycle bin. What the family takes back from there is the family's own from
 * then on, and no longer the child's; with the last of them the child's id is forgotten.
 */
@Injectable()
export class ChildEnding {
  constructor(
    private readonly contents: EndedContentRepository,
    private readonly clouds: EndedCloudRepository,
    private readonly recycling: Recycling,
  ) {}

  async step(ending: Ending, now: number): Promise<NextStep | undefined> {
    const { subject: cid, cloudId, state } = ending;
    if (cloudId === null) return undefined;
    if (state === WAITING) return this.recycle(cloudId, cid, now);
    if (state === WATCHED) return this.watch(cloudId, cid, now);
    const cursor = await this.contents.forgetPage(ending);
    return cursor === undefined ? undefined : { state: FORGETTING, cursor, dueAt: now };
  }

  private async recycle(cloudId: string, cid: string, now: number): Promise<NextStep> {
    const active = await this.contents.lockActiveOfChild(cloudId, cid, ENDING_BATCH);
    if (active.length > 0) {
      await this.recycling.recycle(cloudId, active, now);
      return { state: WAITING, cursor: null, dueAt: now };
    }
    await this.clouds.giveAlbumsToFamily(cloudId, cid);
    return { state: WATCHED, cursor: null, dueAt: now + LOOK_AGAIN_MS };
  }

  private async watch(cloudId: string, cid: string, now: number): Promise<NextStep> {
    const takenBack = await this.contents.lockActiveOfChild(cloudId, cid, ENDING_BATCH);
    if (takenBack.length > 0) {
      await this.contents.giveToFamily(takenBack.map(({ contentId }) => contentId));
      return { state: WATCHED, cursor: null, dueAt: now };
    }
    if (await this.contents.hasRecycledOfChild(cloudId, cid)) {
      return { state: WATCHED, cursor: null, dueAt: now + LOOK_AGAIN_MS };
    }
    return { state: FORGETTING, cursor: null, dueAt: now };
  }
}
