import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { mayKeepMetadata } from '../media/rendition-plan.js';
import { WaitSlots } from '../media/wait-slots.js';
import { MediaGrantMonitor } from './media-grant-monitor.js';
import { MediaGrantRepository } from './media-grant.repository.js';
import type { SharedContent } from './shared-content.js';

/** How long a request waits for its grant, milliseconds. */
const PATIENCE_MS = 1_000;
/** Another replica may have taken the event, so the table is looked at as well. */
const LOOK_AGAIN_MS = 250;
/** Requests that wait at a time, and those from one family; beyond, none waits. */
const MAX_WAITERS = { total: 256, ofCloud: 16 };

/** Media of messages between befriended children: opened by the watch that is bound to the receiving child now. */
@Injectable()
export class GrantedMediaService {
  private readonly places = new WaitSlots(MAX_WAITERS);

  constructor(
    private readonly grants: MediaGrantRepository,
    private readonly arrivals: MediaGrantMonitor,
  ) {}

  /** As things stand now. Nobody could be told that a document says who made it, or where: none is opened. */
  async find({ cloudId, cid }: CloudActor, contentId: string): Promise<SharedContent | undefined> {
    if (cid === null || !isUuid(contentId)) return undefined;
    const content = await this.grants.findOpened(contentId, { familyId: cloudId, cid }, Date.now());
    return content && isMedium(content) ? content : undefined;
  }

  /**
   * The same for a watch that may have heard of the message before its grant came here: waits for at most a second.
   * What the own cloud has, in whatever state, is no medium of somebody else.
   */
  async findAfterWait(actor: CloudActor, contentId: string): Promise<SharedContent | undefined> {
    if (actor.cid === null || !isUuid(contentId)) return undefined;
    if (await this.grants.isKnown(actor.cloudId, contentId)) return undefined;
    const found = await this.find(actor, contentId);
    if (found || this.places.isFull(actor.cloudId)) return found;
    return this.places.run(actor.cloudId, () => this.untilGranted(actor, contentId));
  }

  private async untilGranted(actor: CloudActor, contentId: string): Promise<SharedContent | undefined> {
    const deadline = performance.now() + PATIENCE_MS;
    for (let left = PATIENCE_MS; left > 0; left = deadline - performance.now()) {
      await this.arrivals.waitForNext(contentId, Math.min(left, LOOK_AGAIN_MS));
      const found = await this.find(actor, contentId);
      if (found) return found;
    }
    return undefined;
  }
}

/** Pictures, films and sound are what is said in messages; sound is sent as it is where nothing can be removed. */
function isMedium({ mediaType }: SharedContent): boolean {
  return mediaType.startsWith('audio/') || !mayKeepMetadata(mediaType);
}
