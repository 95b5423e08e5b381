import { Injectable } from '@nestjs/common';
import { CONTENT_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import type { ContentType } from '@family-watch/domain/family-cloud/contracts/content';
import { RENDITION_KIND, RENDITION_STATE } from '@family-watch/domain/family-cloud/contracts/rendition';
import type { RenditionKind } from '@family-watch/domain/family-cloud/contracts/rendition';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { Rendition } from './rendition.js';
import { RenditionNotifier } from './rendition-notifier.js';
import { RenditionRepository } from './rendition.repository.js';
import { CaptureTimeRepository } from './capture-time.repository.js';
import { WaitSlots } from './wait-slots.js';

/** How long whoever asks for one that is not there waits for it, milliseconds. */
const PATIENCE_MS = 8_000;
/** Another replica may make it, which no bell here tells, milliseconds. */
const LOOK_EVERY_MS = 250;
/** Files that are waited for at a time; beyond, nobody waits, and what is wanted is made all the same. */
const MAX_WAITED_FOR = { total: 256, ofCloud: 32 };
/** Before everything that nobody waits for. */
const AT_ONCE = 0;

/** A content that has just been made. */
interface NewContent {
  contentId: string;
  blobKey: string;
  type: ContentType;
}

/** Thumbnails, and what people outside the family may read. Whether they may is decided by whoever asks. */
@Injectable()
export class RenditionService {
  private readonly waitedFor = new Map<string, Promise<Rendition | undefined>>();
  private readonly places = new WaitSlots(MAX_WAITED_FOR);

  constructor(
    private readonly renditions: RenditionRepository,
    private readonly shotTimes: CaptureTimeRepository,
    private readonly bell: RenditionNotifier,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * `undefined` while it is not ready, and when there is none. What is SHARED of a file that tells no position is
   * the file itself.
   */
  async find(blobKey: string, kind: RenditionKind): Promise<Rendition | undefined> {
    return (await this.findMany([blobKey], kind)).get(blobKey);
  }

  /** The same for many, by the key of the source. */
  async findMany(blobKeys: readonly string[], kind: RenditionKind): Promise<Map<string, Rendition>> {
    return blobKeys.length === 0 ? new Map() : this.renditions.findReady(blobKeys, kind);
  }

  /**
   * The same for one that may not have been asked for before: waits until it is made, for a few seconds. Whoever asks
   * for the same one meanwhile waits with the first.
   * @returns `undefined` when it is still not ready, which it may be later, and when there is none
   */
  async findOrGenerate(blobKey: string, kind: RenditionKind): Promise<Rendition | undefined> {
    const ready = await this.find(blobKey, kind);
    if (ready) return ready;
    const key = `${kind} ${blobKey}`;
    const awaited = this.waitedFor.get(key);
    if (awaited) return awaited;
    const waited = this.wantNow(blobKey, kind).finally(() => this.waitedFor.delete(key));
    this.waitedFor.set(key, waited);
    return waited;
  }

  /** Whether {@link contentsAdded} has anything to do. */
  isApplicable(contents: readonly NewContent[]): boolean {
    return contents.some(isPictured);
  }

  /** For the unit of work that adds contents: thumbnails are made after the commit, and times are found. */
  async contentsAdded(contents: readonly NewContent[]): Promise<void> {
    const pictured = contents.filter(isPictured);
    if (pictured.length === 0) return;
    const keys = pictured.map(({ blobKey }) => blobKey);
    await this.renditions.request(keys, RENDITION_KIND.THUMBNAIL, Date.now());
    await this.shotTimes.copyFromBlob(pictured.map(({ contentId }) => contentId));
    this.unitOfWork.afterCommit(() => this.bell.notifyRequested());
  }

  private async wantNow(blobKey: string, kind: RenditionKind): Promise<Rendition | undefined> {
    await this.renditions.request([blobKey], kind, AT_ONCE);
    this.bell.notifyRequested();
    const wanted = await this.renditions.findState(blobKey, kind);
    if (!wanted) return undefined;
    if (wanted.state === RENDITION_STATE.WAITING) {
      if (this.places.isFull(wanted.cloudId)) return undefined;
      const isSettled = await this.places.run(wanted.cloudId, () => this.untilSettled(blobKey, kind));
      if (!isSettled) return undefined;
    }
    return this.find(blobKey, kind);
  }

  /** Returns false when patience is over before. */
  private async untilSettled(blobKey: string, kind: RenditionKind): Promise<boolean> {
    const deadline = performance.now() + PATIENCE_MS;
    for (let left = PATIENCE_MS; left > 0; left = deadline - performance.now()) {
      await this.bell.waitForCompletion(Math.min(LOOK_EVERY_MS, left));
      if ((await this.renditions.findState(blobKey, kind))?.state !== RENDITION_STATE.WAITING) return true;
    }
    return false;
  }
}

function isPictured({ type }: NewContent): boolean {
  return type === CONTENT_TYPE.IMAGE || type === CONTENT_TYPE.VIDEO;
}
