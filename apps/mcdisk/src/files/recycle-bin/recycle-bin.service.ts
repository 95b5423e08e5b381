import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type {
  QueryRecycleListDto,
  RecycleListDto,
  RestoreContentsDto,
  RestoreContentsResultDto,
  PurgeContentsDto,
  PurgeContentsResultDto,
} from '@family-watch/domain/family-cloud/dto/recycle-bin.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { McdiskOutbox, McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { FolderTreeService } from '../folders/folder-tree.service.js';
import { hasRight, type CloudActor } from '../../clouds/cloud-actor.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import { CloudRepository } from '../../clouds/cloud.repository.js';
import { toLimitOffset, assertSupportedTypes } from '../../clouds/cloud-request.js';
import { ContentPresenterService } from '../contents/content-presenter.service.js';
import { ContentRepository, type LockedContent } from '../contents/content.repository.js';
import { decideRestore, decidePurge } from '../contents/bulk-decisions.js';
import { RecycleBinRepository, type RecycleBinEmptying } from './recycle-bin.repository.js';
import { ContentDeletionService } from '../contents/content-deletion.service.js';

/** Name of the job that empties recycle bins. */
export const EMPTYING_JOB = 'mcdisk.recycle-bin.empty';
/**
 * Maximum number of contents per transaction of the emptying, which locks the contents, and finally the cloud's row,
 * for a few milliseconds.
 */
const EMPTYING_BATCH_SIZE = 50;
/** Pause when all remaining contents are locked by other transactions. */
const LOCKED_PAUSE_MS = 1_000;
const EXPIRY_BATCH_SIZE = 200;
/**
 * Ratio of the pause to the duration of the preceding background work. The pause leaves the database capacity for
 * requests.
 */
const PAUSE_FACTOR = 9;
/** Minimum pause, milliseconds, also after work that took no measurable time. */
const MIN_PAUSE_MS = 25;
const MAX_PAUSE_MS = 5_000;

/** Lists, restores and purges deleted contents, and empties recycle bins. */
@Injectable()
export class RecycleBinService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly recycleBin: RecycleBinRepository,
    private readonly presenter: ContentPresenterService,
    private readonly contents: ContentRepository,
    private readonly tree: FolderTreeService,
    private readonly clouds: CloudRepository,
    private readonly outbox: McdiskOutbox,
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly jobs: JobScheduler,
    private readonly deletion: ContentDeletionService,
  ) {}

  /** Lists the contents that the caller may restore. The list is empty for callers without the right to delete. */
  async list(caller: Principal, origin: string, request: QueryRecycleListDto): Promise<RecycleListDto> {
    assertSupportedTypes(request);
    const actor = await this.access.authorize(request.cloudID, caller);
    if (!hasRight(actor, CLOUD_RIGHT.DELETE)) return { totalCount: 0, contentList: [] };
    const visible = { cloudId: actor.cloudId, visibility: actor.visibility };
    const contents = await this.recycleBin.findPage(visible, toLimitOffset(request.pageInfo));
    const presented = await this.presenter.toDtos(contents, { cloudID: actor.cloudId, caller, origin });
    const contentList = contents.flatMap(({ recycledAt, purgeAt }, index) => {
      const content = presented[index];
      return content ? [{ ...content, recycleTime: recycledAt, purgeTime: purgeAt }] : [];
    });
    return { totalCount: await this.recycleBin.countVisible(visible), contentList };
  }

  /** Restores contents to the folders from which they were deleted, and restores these folders if they are deleted. */
  async restore(caller: Principal, request: RestoreContentsDto): Promise<RestoreContentsResultDto> {
    assertSupportedTypes(request);
    const actor = await this.access.authorize(request.cloudID, caller);
    const ids = [...new Set(request.contentIDList)];
    return this.unitOfWork.run(async () => {
      const found = await this.contents.lock(actor.cloudId, ids.filter(isUuid));
      const { doneIds, failedIds, changedContents } = decideRestore(actor, ids, found);
      if (changedContents.length > 0) await this.restoreContents(actor, changedContents);
      return { restoreContIDList: doneIds, failureContIDList: failedIds };
    });
  }

  /**
   * @throws ServiceError VALIDATION_FAILED unless exactly one of `contentIDList` and `all` is given, PERMISSION_MISSING
   */
  async purge(caller: Principal, request: PurgeContentsDto): Promise<PurgeContentsResultDto> {
    assertSupportedTypes(request);
    const { cloudID, contentIDList, all = false } = request;
    if ((contentIDList !== undefined) === all) throw ambiguousSelectionError();
    const actor = await this.access.authorizeFor(cloudID, caller, CLOUD_RIGHT.PURGE);
    return contentIDList ? this.purgeContents(actor, contentIDList) : this.purgeAll(actor);
  }

  /**
   * Empties recycle bins in small batches, until no request is due. After each batch the job pauses for longer than the
   * batch took. The end of the pause is stored in the request's row, so that several replicas are not faster than one.
   * After a crash any replica continues in its next run.
   */
  @OnJob(EMPTYING_JOB, { intervalMs: 5_000 })
  async emptyRequestedBins(_now?: number, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      const pause = await this.unitOfWork.run(() => this.emptyNextBatch());
      if (pause === undefined) return;
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * Purges all contents whose time in the recycle bin has expired. Replicas process different rows.
   * @param now Unix milliseconds
   * @returns number of purged contents; rows locked by other transactions are left to the next run
   */
  @OnJob('mcdisk.recycle-bin.purge-expired', { intervalMs: 10 * 60_000 })
  async purgeExpired(now: number, signal?: AbortSignal): Promise<number> {
    let [total, from] = [0, 0];
    while (!signal?.aborted) {
      const startedAt = Date.now();
      const claimed = await this.unitOfWork.run(async () => {
        const contents = await this.recycleBin.claimExpired({ from, until: now, limit: EXPIRY_BATCH_SIZE });
        await this.deletion.purge(contents, null, now);
        return contents;
      });
      total += claimed.length;
      if (claimed.length < EXPIRY_BATCH_SIZE) break;
      from = claimed.at(-1)?.purgeAt ?? 0;
      await sleep(pauseAfterWork(Date.now() - startedAt), undefined, { signal }).catch(() => undefined);
    }
    return total;
  }

  private async restoreContents({ cloudId, principal }: CloudActor, contents: readonly LockedContent[]): Promise<void> {
    const now = Date.now();
    const byFolder = Map.groupBy(contents, ({ parentFolderId }) => parentFolderId);
    const folders = await this.tree.restoreFolders(cloudId, [...byFolder.keys()]);
    for (const [folder, contentsOfFolder] of byFolder) {
      const parentFolderId = folders.get(folder)?.folderId ?? null;
      await this.contents.restore(cloudId, contentIdsOf(contentsOfFolder), { parentFolderId, now });
    }
    const bytes = contents.reduce((sum, { size }) => sum + size, 0);
    await this.clouds.restore(cloudId, bytes, now);
    const payload = { cloudID: cloudId, contentIDs: contentIdsOf(contents), by: principal };
    await this.outbox.appendContentEvent('mcdisk.content.restored', payload);
  }

  private purgeContents(actor: CloudActor, contentIDs: readonly string[]): Promise<PurgeContentsResultDto> {
    const ids = [...new Set(contentIDs)];
    return this.unitOfWork.run(async () => {
      const found = await this.contents.lock(actor.cloudId, ids.filter(isUuid));
      const { doneIds, failedIds, changedContents } = decidePurge(actor, ids, found);
      await this.deletion.purge(changedContents, actor.principal, Date.now());
      return { purgeContIDList: doneIds, failureContIDList: failedIds, purging: 0 };
    });
  }

  /** Schedules emptying of the recycle bin. Contents that are deleted after this request stay in the recycle bin. */
  private async purgeAll({ cloudId, principal }: CloudActor): Promise<PurgeContentsResultDto> {
    const now = Date.now();
    const purging = await this.recycleBin.count(cloudId, now);
    if (purging > 0) {
      await this.recycleBin.requestEmptying({ cloudId, requestedBy: principal, recycledUntil: now });
      this.jobs.trigger(EMPTYING_JOB);
    }
    return { purgeContIDList: [], failureContIDList: [], purging };
  }

  /** Purges one batch. Returns the pause in milliseconds, or `undefined` when no request is due. */
  private async emptyNextBatch(): Promise<number | undefined> {
    const startedAt = Date.now();
    const emptying = await this.recycleBin.lockDueEmptying(startedAt);
    if (!emptying) return undefined;
    const { cloudId, recycledUntil, requestedBy } = emptying;
    const claimed = await this.recycleBin.claim(cloudId, {
      from: emptying.recycledFrom,
      until: recycledUntil,
      limit: EMPTYING_BATCH_SIZE,
    });
    await this.deletion.purge(claimed, requestedBy, startedAt);
    if (claimed.length < EMPTYING_BATCH_SIZE) return this.finishOrWaitForLocked(emptying, startedAt);
    const pause = pauseAfterWork(Date.now() - startedAt);
    const recycledFrom = claimed.at(-1)?.recycledAt ?? 0;
    await this.recycleBin.saveEmptyingProgress(cloudId, { recycledFrom, nextAt: startedAt + pause });
    return pause;
  }

  private async finishOrWaitForLocked({ cloudId, recycledUntil }: RecycleBinEmptying, now: number): Promise<number> {
    if (await this.recycleBin.hasAny(cloudId, recycledUntil)) {
      await this.recycleBin.saveEmptyingProgress(cloudId, { recycledFrom: 0, nextAt: now + LOCKED_PAUSE_MS });
      return LOCKED_PAUSE_MS;
    }
    await this.recycleBin.deleteEmptying(cloudId);
    return pauseAfterWork(0);
  }
}

function contentIdsOf(contents: readonly LockedContent[]): string[] {
  return contents.map(({ contentId }) => contentId);
}

function ambiguousSelectionError(): ServiceError {
  const message = 'send either contentIDList or all';
  return new ServiceError('VALIDATION_FAILED', { details: [{ field: 'contentIDList', rule: 'either', message }] });
}

/** Returns how long to pause after work of the given duration, both milliseconds. */
function pauseAfterWork(workedMs: number): number {
  return Math.min(Math.max(workedMs * PAUSE_FACTOR, MIN_PAUSE_MS), MAX_PAUSE_MS);
}
