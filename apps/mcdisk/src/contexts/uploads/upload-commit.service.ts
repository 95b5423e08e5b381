import { Injectable, Logger } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import type { DomainEvents } from '@family-watch/domain/events';
import { MAX_IDS_PER_EVENT } from '@family-watch/domain/family-cloud/contracts/family-cloud.events';
import type { UploadReceiptDto } from '@family-watch/domain/family-cloud/dto/upload.dto';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import { DatabaseUnavailableError } from '@family-watch/platform/database/database-unavailable.error';
import { Batcher } from '@family-watch/platform/process/batcher';
import { McdiskOutbox } from '../../infrastructure/mcdisk.outbox.js';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { BlobDeletionService } from '../blobs/blob-deletion.service.js';
import { BlobStore } from '../blobs/blob-store.js';
import { UrlHolderService } from '../blobs/url-holder.service.js';
import { RenditionService } from '../media/rendition.service.js';
import { BlobAssignment, fingerprintOf, isStillOwned } from './finished-upload.js';
import type { FinishedUpload } from './finished-upload.js';
import { LostBlobRepairService } from './lost-blob-repair.service.js';
import { UploadCommitRepository } from './upload-commit.repository.js';
import type { NewContent } from './upload-commit.repository.js';
import { toUploadReceipt } from './upload-receipt.js';
import type { UploadWithFamily } from './upload.repository.js';

/** Less than one event may name, and what one statement takes without holding others up. */
const MAX_BATCH = Math.min(64, MAX_IDS_PER_EVENT);
const MAX_WAITING = 10_000;
/** A family whose row is locked holds up the batch that it is in. What comes later then takes the other lane. */
const PATIENCE_MS = 50;

/** An upload that passed, with the child as which it was sent. */
interface Passed {
  finished: FinishedUpload;
  row: UploadWithFamily;
  cid: string | null;
}

/** What is written of it. */
interface Placed {
  content: NewContent;
  row: UploadWithFamily;
}

type Outcome = { receipt: UploadReceiptDto; blobKey: string } | ServiceError;

/**
 * Makes contents of finished uploads: those that finish at the same time in one unit of work, each judged by itself.
 * Everything that was true at the first byte must still be so now.
 */
@Injectable()
export class UploadCommitService {
  private readonly logger = new Logger(UploadCommitService.name);
  private readonly commits = new Batcher<FinishedUpload, Outcome>({
    process: (finished) => this.unitOfWork.run(() => this.commitAll(finished)),
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    maxConcurrentBatches: 2,
    laneWaitMs: PATIENCE_MS,
    shouldBisect: (error) => !(error instanceof DatabaseUnavailableError),
  });

  constructor(
    private readonly rows: UploadCommitRepository,
    private readonly holders: UrlHolderService,
    private readonly disposal: BlobDeletionService,
    private readonly store: BlobStore,
    private readonly renditions: RenditionService,
    private readonly shared: LostBlobRepairService,
    private readonly outbox: McdiskOutbox,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * Resolves with the receipt when the content is on the disk of the database. Bytes that are not needed are removed.
   * @throws ServiceError UPLOAD_NOT_FOUND when the right has ended, UPLOAD_STATE when the upload has ended or somebody
   * else sends it
   * @throws DatabaseUnavailableError when it is not known whether it was committed; the bytes then stay
   */
  async commit(finished: FinishedUpload): Promise<UploadReceiptDto> {
    const outcome = await this.submit(finished);
    if (outcome instanceof ServiceError) {
      this.remove(finished, true);
      throw outcome;
    }
    if (outcome.blobKey !== finished.blobKey) await this.keepOne(finished, outcome.blobKey);
    return outcome.receipt;
  }

  /** Resolves when nothing waits to be committed. */
  async onApplicationShutdown(): Promise<void> {
    await this.commits.idle();
  }

  /** The family has the same bytes already. Only where the store has lost those, the ones that came are needed. */
  private async keepOne(finished: FinishedUpload, equal: string): Promise<void> {
    if (await this.shared.exists(equal)) this.remove(finished, false);
    else await this.shared.repair(equal, finished);
  }

  private async submit(finished: FinishedUpload): Promise<Outcome> {
    try {
      return await this.commits.submit(finished);
    } catch (error) {
      // Rolled back for certain, so the bytes belong to nobody.
      if (!(error instanceof DatabaseUnavailableError)) this.remove(finished, true);
      throw error;
    }
  }

  /** Files without a row are the collector's, should this fail. Those of a lease are its holder's until it has ended. */
  private remove({ blobKey, holder }: FinishedUpload, isRefused: boolean): void {
    if (holder !== null && isRefused) return;
    const removal = holder === null ? this.store.discard(blobKey) : this.disposal.remove(blobKey);
    removal.catch((error: unknown) => this.logger.warn({ msg: 'Blob deletion failed', blobKey, err: error }));
  }

  private async commitAll(batch: readonly FinishedUpload[]): Promise<Outcome[]> {
    const leased = batch.flatMap(({ holder, blobKey }) => (holder === null ? [] : [blobKey]));
    // Sent together and done in this order.
    const [catalogs, rows, blobs] = await Promise.all([
      this.rows.lockFoldersForShare(distinct(batch.flatMap(({ upload }) => upload.parentFolderId ?? []))),
      this.rows.lockUploads(distinct(batch.map(({ upload }) => upload.contentId))),
      this.rows.lockBlobs(leased, batch.map(fingerprintOf)),
    ]);
    const judged = this.judgeAll(batch, new Map(rows.map((row) => [row.contentId, row])));
    const places = new BlobAssignment(blobs);
    const placed = judged.map((one) => (one instanceof ServiceError ? one : placeOf(one, places, catalogs)));
    const now = Date.now();
    await this.write(
      placed.flatMap((one) => (one instanceof ServiceError ? [] : [one])),
      places,
      now,
    );
    return placed.map((one) => (one instanceof ServiceError ? one : outcomeOf(one, now)));
  }

  private judgeAll(
    batch: readonly FinishedUpload[],
    rows: ReadonlyMap<string, UploadWithFamily>,
  ): (Passed | ServiceError)[] {
    const taken = new Set<string>();
    return batch.map((finished) => {
      const { contentId } = finished.upload;
      const judged = taken.has(contentId)
        ? new ServiceError('UPLOAD_STATE')
        : this.judge(finished, rows.get(contentId));
      if (!(judged instanceof ServiceError)) taken.add(contentId);
      return judged;
    });
  }

  private judge(finished: FinishedUpload, row: UploadWithFamily | undefined): Passed | ServiceError {
    try {
      const actor = row && this.holders.check(row, row.family, CLOUD_RIGHT.ADD);
      if (!actor) return new ServiceError('UPLOAD_NOT_FOUND');
      return isStillOwned(finished, row) ? { finished, row, cid: actor.cid } : new ServiceError('UPLOAD_STATE');
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  private async write(placed: readonly Placed[], places: BlobAssignment, now: number): Promise<void> {
    if (placed.length === 0) return;
    const contents = placed.map(({ content }) => content);
    const bytes = new Map<string, number>();
    for (const { row } of placed) bytes.set(row.cloudId, (bytes.get(row.cloudId) ?? 0) + row.size);
    const growths = [...bytes].map(([cloudId, sum]) => ({ cloudId, bytes: sum }));
    const written = this.rows.write(contents, places.decisions, now);
    // The clouds' rows are locked last.
    if (this.renditions.isApplicable(contents)) await written.then(() => this.renditions.contentsAdded(contents));
    await Promise.all([written, this.rows.applyUsage(growths, now), this.outbox.appendMany(eventsOf(placed))]);
  }
}

function outcomeOf({ row, content }: Placed, now: number): Outcome {
  return { blobKey: content.blobKey, receipt: toUploadReceipt({ ...row, digest: content.digest, completedAt: now }) };
}

/** One event for what one person added to one cloud. */
function eventsOf(placed: readonly Placed[]): NewEventOf<DomainEvents>[] {
  const groups = Map.groupBy(placed, ({ row }) => `${row.cloudId} ${row.principal}`);
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map(({ row: { cloudId, principal } }) => ({
      name: 'mcdisk.content.added' as const,
      key: cloudId,
      payload: { cloudID: cloudId, contentIDs: group.map(({ row }) => row.contentId), by: principal },
    })),
  );
}

function placeOf(
  { finished, row, cid }: Passed,
  places: BlobAssignment,
  catalogs: ReadonlySet<string>,
): Placed | ServiceError {
  const blobKey = places.assign(finished);
  if (blobKey === undefined) return new ServiceError('UPLOAD_STATE');
  const { contentId, parentFolderId } = row;
  const content: NewContent = {
    contentId,
    blobKey,
    digest: finished.digest,
    type: finished.media.contentType,
    mediaType: finished.media.mediaType,
    cid,
    // Whose folder was deleted meanwhile lies in the root: no byte that arrived is lost.
    parentFolderId: parentFolderId !== null && catalogs.has(parentFolderId) ? parentFolderId : null,
  };
  return { content, row };
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
