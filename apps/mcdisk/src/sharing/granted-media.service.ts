import { Injectable } from '@nestjs/common';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { Waiters } from '@family-watch/platform/concurrency/waiters';
import { McdiskProjections, PROJECTION } from '../infrastructure/mcdisk-infrastructure.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { mayKeepMetadata } from '../renditions/rendition-plan.js';
import { WaitSlots } from '../renditions/rendition-waits.js';
import { MediaGrantRepository } from './media-grant.repository.js';
import type { ReadableContent } from '../clouds/content-columns.js';

/** Notifies requests that wait for a grant when this process receives grants. */
@Injectable()
export class MediaGrantMonitor {
  private readonly waiting = new Waiters<string>();

  recordGrants(contentIds: readonly string[]): void {
    for (const contentId of contentIds) this.waiting.notify(contentId);
  }

  /** Resolves when the next grant of this content is received, or after `milliseconds`. */
  waitForNext(contentId: string, milliseconds: number): Promise<void> {
    return this.waiting.wait(contentId, milliseconds);
  }
}

/** Maximum time for which a request waits for its grant, milliseconds. */
const WAIT_TIMEOUT_MS = 1_000;
/**
 * Interval at which a waiting request queries the grant, because another replica may have processed the event,
 * milliseconds.
 */
const POLL_INTERVAL_MS = 250;
/** Maximum number of waiting requests in total and per family; further requests do not wait. */
const MAX_WAITERS = { total: 256, perCloud: 16 };

/**
 * Finds media in messages between children who are friends. The watch that is currently bound to the receiving child
 * may read the media.
 */
@Injectable()
export class GrantedMediaService {
  private readonly waitSlots = new WaitSlots(MAX_WAITERS);

  constructor(
    private readonly grants: MediaGrantRepository,
    private readonly monitor: MediaGrantMonitor,
    private readonly projections: McdiskProjections,
  ) {}

  /**
   * Returns a content if its grant is effective now. Documents are never returned, because a document may contain its
   * author or a location, and the sender cannot be warned.
   * @throws ServiceError CLOUD_NOT_READY while the projected friendships of one of the families may be outdated
   */
  async find({ cloudId, cid }: CloudActor, contentId: string): Promise<ReadableContent | undefined> {
    if (cid === null || !isUuid(contentId)) return undefined;
    const content = await this.grants.findGrantedContent(contentId, { familyId: cloudId, cid }, Date.now());
    if (!content || !isMessageMedia(content)) return undefined;
    // The key of a friendship's events is the id of one of the two families.
    for (const familyId of [cloudId, content.cloudId]) this.projections.assertKnown(PROJECTION.FRIENDSHIPS, familyId);
    return content;
  }

  /**
   * Finds a content like {@link find}, but waits up to a second for the grant, because the watch may receive the
   * message before mcdisk receives the grant. Does not wait for a content of the actor's own cloud, in any state,
   * because it is never granted media.
   */
  async findAfterWait(actor: CloudActor, contentId: string): Promise<ReadableContent | undefined> {
    if (actor.cid === null || !isUuid(contentId)) return undefined;
    if (await this.grants.contentExistsInCloud(actor.cloudId, contentId)) return undefined;
    const found = await this.find(actor, contentId);
    if (found || this.waitSlots.isFull(actor.cloudId)) return found;
    return this.waitSlots.run(actor.cloudId, () => this.waitUntilGranted(actor, contentId));
  }

  private async waitUntilGranted(actor: CloudActor, contentId: string): Promise<ReadableContent | undefined> {
    const deadline = performance.now() + WAIT_TIMEOUT_MS;
    for (let left = WAIT_TIMEOUT_MS; left > 0; left = deadline - performance.now()) {
      await this.monitor.waitForNext(contentId, Math.min(left, POLL_INTERVAL_MS));
      const found = await this.find(actor, contentId);
      if (found) return found;
    }
    return undefined;
  }
}

/**
 * Returns whether a content can be sent in messages: pictures, videos and sound can. Sound is sent unchanged when its
 * metadata cannot be removed.
 */
function isMessageMedia({ mediaType }: ReadableContent): boolean {
  return mediaType.startsWith('audio/') || !mayKeepMetadata(mediaType);
}
