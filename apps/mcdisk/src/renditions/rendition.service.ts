import { Injectable } from '@nestjs/common';
import { CONTENT_TYPE, type ContentType } from '@family-watch/domain/family-cloud/contracts/content';
import { RENDITION_KIND, RENDITION_STATE, type RenditionKind } from '@family-watch/domain/family-cloud/contracts/blob';
import { McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import type { Rendition } from './rendition-plan.js';
import { RenditionNotifier, WaitSlots } from './rendition-waits.js';
import { RenditionRepository } from './rendition.repository.js';

/** How long a caller waits for a rendition that is not ready, milliseconds. */
const WAIT_TIMEOUT_MS = 8_000;
/** Polling interval for renditions that another replica generates, milliseconds. */
const POLL_INTERVAL_MS = 250;
/**
 * Maximum number of renditions that callers wait for. Calls beyond this number return immediately, and the requested
 * renditions are generated nevertheless.
 */
const MAX_WAITS = { total: 256, perCloud: 32 };
/** Due time of renditions that a caller waits for; they are generated before all others. */
const DUE_NOW = 0;

/** A content that has just been added. */
interface NewContent {
  contentId: string;
  blobKey: string;
  type: ContentType;
}

/** Provides thumbnails, and the renditions that readers without the right to read receive. The caller checks access. */
@Injectable()
export class RenditionService {
  private readonly pendingWaits = new Map<string, Promise<Rendition | undefined>>();
  private readonly waitSlots = new WaitSlots(MAX_WAITS);

  constructor(
    private readonly renditions: RenditionRepository,
    private readonly notifier: RenditionNotifier,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * Returns a rendition, or `undefined` when it is not ready or not possible. The SHARED rendition of a file that
   * cannot contain a location is the file itself.
   */
  async find(blobKey: string, kind: RenditionKind): Promise<Rendition | undefined> {
    return (await this.findMany([blobKey], kind)).get(blobKey);
  }

  /** Returns the ready renditions of many sources, by the key of the source. */
  async findMany(blobKeys: readonly string[], kind: RenditionKind): Promise<Map<string, Rendition>> {
    return blobKeys.length === 0 ? new Map() : this.renditions.findReady(blobKeys, kind);
  }

  /**
   * Returns a rendition. Requests a missing rendition and waits up to eight seconds until it is generated. Concurrent
   * callers for the same rendition share one wait.
   * @returns `undefined` when the rendition is not ready in time or not possible
   */
  async findOrGenerate(blobKey: string, kind: RenditionKind): Promise<Rendition | undefined> {
    const ready = await this.find(blobKey, kind);
    if (ready) return ready;
    const key = `${kind} ${blobKey}`;
    const existing = this.pendingWaits.get(key);
    if (existing) return existing;
    const result = this.requestAndWait(blobKey, kind).finally(() => this.pendingWaits.delete(key));
    this.pendingWaits.set(key, result);
    return result;
  }

  /** Returns whether {@link onContentsAdded} must be called for these contents. */
  isApplicable(contents: readonly NewContent[]): boolean {
    return contents.some(canHaveThumbnail);
  }

  /**
   * Copies capture times to new contents, and requests their thumbnails after the commit. Must be called in the
   * transaction that adds the contents.
   */
  async onContentsAdded(contents: readonly NewContent[]): Promise<void> {
    const withThumbnails = contents.filter(canHaveThumbnail);
    if (withThumbnails.length === 0) return;
    const keys = withThumbnails.map(({ blobKey }) => blobKey);
    await this.renditions.request(keys, RENDITION_KIND.THUMBNAIL, Date.now());
    await this.renditions.copyCaptureTimes(withThumbnails.map(({ contentId }) => contentId));
    this.unitOfWork.afterCommit(() => this.notifier.notifyRequested());
  }

  private async requestAndWait(blobKey: string, kind: RenditionKind): Promise<Rendition | undefined> {
    await this.renditions.request([blobKey], kind, DUE_NOW);
    this.notifier.notifyRequested();
    const rendition = await this.renditions.findState(blobKey, kind);
    if (!rendition) return undefined;
    if (rendition.state === RENDITION_STATE.WAITING) {
      if (this.waitSlots.isFull(rendition.cloudId)) return undefined;
      const isFinished = await this.waitSlots.run(rendition.cloudId, () => this.waitUntilFinished(blobKey, kind));
      if (!isFinished) return undefined;
    }
    return this.find(blobKey, kind);
  }

  /** Waits until a rendition is generated or has failed. Returns false after the timeout. */
  private async waitUntilFinished(blobKey: string, kind: RenditionKind): Promise<boolean> {
    const deadline = performance.now() + WAIT_TIMEOUT_MS;
    for (let left = WAIT_TIMEOUT_MS; left > 0; left = deadline - performance.now()) {
      await this.notifier.waitForCompletion(Math.min(POLL_INTERVAL_MS, left));
      if ((await this.renditions.findState(blobKey, kind))?.state !== RENDITION_STATE.WAITING) return true;
    }
    return false;
  }
}

function canHaveThumbnail({ type }: NewContent): boolean {
  return type === CONTENT_TYPE.IMAGE || type === CONTENT_TYPE.VIDEO;
}
