import { Injectable, Logger } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type { DomainEvents } from '@family-watch/domain/events';
import { MAX_IDS_PER_EVENT } from '@family-watch/domain/family-cloud/contracts/family-cloud.events';
import type { UploadReceiptDto } from '@family-watch/domain/family-cloud/dto/upload.dto';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import { Batcher } from '@family-watch/platform/concurrency/batcher';
import { McdiskOutbox, McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { BlobDeletionService } from '../../storage/blobs/blob-deletion.service.js';
import { BlobStore } from '../../storage/blobs/blob-store.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import { RenditionService } from '../../renditions/rendition.service.js';
import { BlobAssignment, fingerprintOf, isUnchanged, toUploadReceipt, type FinishedUpload } from './finished-upload.js';
import { LostBlobRepairService } from './lost-blob-repair.service.js';
import { UploadCommitRepository, type NewContent } from './upload-commit.repository.js';
import type { UploadWithFamily } from './upload.repository.js';

/**
 * Maximum number of uploads per batch: at most as many as an event may contain, and few enough for short statements.
 */
const MAX_BATCH_SIZE = Math.min(64, MAX_IDS_PER_EVENT);
const MAX_WAITING_UPLOADS = 10_000;
/**
 * How long a batch runs before the next batch starts concurrently, milliseconds, so that a locked cloud row does not
 * delay the next batch.
 */
const NEXT_BATCH_DELAY_MS = 50;

/** An accepted upload, with the child whose watch sent it. */
interface AcceptedUpload {
  finishedUpload: FinishedUpload;
  lockedUpload: UploadWithFamily;
  cid: string | null;
}

/** A content to write, with its upload. */
interface AssignedUpload {
  content: NewContent;
  lockedUpload: UploadWithFamily;
}

type CommitOutcome = { receipt: UploadReceiptDto; blobKey: string } | ServiceError;

/**
 * Commits finished uploads as contents. Uploads that finish at the same time share a transaction, but each is accepted
 * or rejected separately. Rights and state, which were checked before the first byte, are checked again.
 */
@Injectable()
export class UploadCommitService {
  private readonly logger = new Logger(UploadCommitService.name);
  private readonly commitBatcher = new Batcher<FinishedUpload, CommitOutcome>({
    process: (finished) => this.unitOfWork.run(() => this.commitAll(finished)),
    maxBatchSize: MAX_BATCH_SIZE,
    maxWaitingItems: MAX_WAITING_UPLOADS,
    maxConcurrentBatches: 2,
    concurrentBatchDelayMs: NEXT_BATCH_DELAY_MS,
    shouldBisect: (error) => !(error instanceof DatabaseUnavailableError),
  });

  constructor(
    private readonly repository: UploadCommitRepository,
    private readonly access: CloudAccessService,
    private readonly blobDeletion: BlobDeletionService,
    private readonly store: BlobStore,
    private readonly renditions: RenditionService,
    private readonly lostBlobs: LostBlobRepairService,
    private readonly outbox: McdiskOutbox,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * Resolves with the receipt when the content is durable in the database. Deletes the bytes of the upload if they are
   * not needed.
   * @throws ServiceError UPLOAD_NOT_FOUND when the right to add has ended, UPLOAD_STATE when the upload has ended or
   * another request sends it
   * @throws DatabaseUnavailableError when the outcome is unknown; the bytes are not deleted in this case
   */
  async commit(finished: FinishedUpload): Promise<UploadReceiptDto> {
    const outcome = await this.submit(finished);
    if (outcome instanceof ServiceError) {
      this.deleteBytes(finished, true);
      throw outcome;
    }
    if (outcome.blobKey !== finished.blobKey) await this.keepSingleBlob(finished, outcome.blobKey);
    return outcome.receipt;
  }

  /** Resolves when no upload is waiting to be committed. */
  async onApplicationShutdown(): Promise<void> {
    await this.commitBatcher.waitUntilIdle();
  }

  /**
   * Keeps one of two blobs with the same bytes: the existing blob, or the new blob if the store has lost the existing
   * one.
   */
  private async keepSingleBlob(finished: FinishedUpload, existingKey: string): Promise<void> {
    if (await this.lostBlobs.exists(existingKey)) this.deleteBytes(finished, false);
    else await this.lostBlobs.repair(existingKey, finished);
  }

  private async submit(finished: FinishedUpload): Promise<CommitOutcome> {
    try {
      return await this.commitBatcher.submit(finished);
    } catch (error) {
      // The transaction was rolled back, so no row refers to the bytes.
      if (!(error instanceof DatabaseUnavailableError)) this.deleteBytes(finished, true);
      throw error;
    }
  }

  /**
   * Deletes the bytes of a finished upload. If the deletion fails, garbage collection deletes the bytes, which have no
   * row. Rejected bytes that were received under a lease stay until the upload ends.
   */
  private deleteBytes({ blobKey, leaseHolder }: FinishedUpload, isRejected: boolean): void {
    if (leaseHolder !== null && isRejected) return;
    const removal = leaseHolder === null ? this.store.discard(blobKey) : this.blobDeletion.deleteBytes(blobKey);
    removal.catch((error: unknown) => this.logger.warn({ msg: 'Blob deletion failed', blobKey, err: error }));
  }

  private async commitAll(batch: readonly FinishedUpload[]): Promise<CommitOutcome[]> {
    const leased = batch.flatMap(({ leaseHolder, blobKey }) => (leaseHolder === null ? [] : [blobKey]));
    // The statements are sent without waiting for results; the database runs them in this order.
    const [folders, uploads, blobs] = await Promise.all([
      this.repository.lockFoldersForShare(distinct(batch.flatMap(({ upload }) => upload.parentFolderId ?? []))),
      this.repository.lockUploads(distinct(batch.map(({ upload }) => upload.contentId))),
      this.repository.lockBlobs(leased, batch.map(fingerprintOf)),
    ]);
    const validated = this.validateAll(batch, new Map(uploads.map((upload) => [upload.contentId, upload])));
    const assignment = new BlobAssignment(blobs);
    const assigned = validated.map((accepted) =>
      accepted instanceof ServiceError ? accepted : assignBlob(accepted, assignment, folders),
    );
    const now = Date.now();
    await this.writeAll(
      assigned.flatMap((outcome) => (outcome instanceof ServiceError ? [] : [outcome])),
      assignment,
      now,
    );
    return assigned.map((outcome) => (outcome instanceof ServiceError ? outcome : toCommitOutcome(outcome, now)));
  }

  private validateAll(
    batch: readonly FinishedUpload[],
    lockedUploads: ReadonlyMap<string, UploadWithFamily>,
  ): (AcceptedUpload | ServiceError)[] {
    const acceptedIds = new Set<string>();
    return batch.map((finished) => {
      const { contentId } = finished.upload;
      const validated = acceptedIds.has(contentId)
        ? new ServiceError('UPLOAD_STATE')
        : this.validate(finished, lockedUploads.get(contentId));
      if (!(validated instanceof ServiceError)) acceptedIds.add(contentId);
      return validated;
    });
  }

  private validate(
    finished: FinishedUpload,
    lockedUpload: UploadWithFamily | undefined,
  ): AcceptedUpload | ServiceError {
    try {
      const actor = lockedUpload && this.access.resolveHolder(lockedUpload, lockedUpload.family, CLOUD_RIGHT.ADD);
      if (!actor) return new ServiceError('UPLOAD_NOT_FOUND');
      return isUnchanged(finished, lockedUpload)
        ? { finishedUpload: finished, lockedUpload, cid: actor.cid }
        : new ServiceError('UPLOAD_STATE');
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  private async writeAll(assigned: readonly AssignedUpload[], assignment: BlobAssignment, now: number): Promise<void> {
    if (assigned.length === 0) return;
    const contents = assigned.map(({ content }) => content);
    const sums = new Map<string, number>();
    for (const { lockedUpload } of assigned) {
      const { cloudId, size } = lockedUpload;
      sums.set(cloudId, (sums.get(cloudId) ?? 0) + size);
    }
    const increases = [...sums].map(([cloudId, bytes]) => ({ cloudId, bytes }));
    const written = this.repository.writeContents(contents, assignment.stateChanges, now);
    // Renditions are requested before the clouds' rows are locked, because a transaction locks these rows last.
    if (this.renditions.isApplicable(contents)) await written.then(() => this.renditions.onContentsAdded(contents));
    await Promise.all([
      written,
      this.repository.applyUsage(increases, now),
      this.outbox.appendMany(eventsOf(assigned)),
    ]);
  }
}

function toCommitOutcome({ lockedUpload, content }: AssignedUpload, now: number): CommitOutcome {
  return {
    blobKey: content.blobKey,
    receipt: toUploadReceipt({ ...lockedUpload, digest: content.digest, completedAt: now }),
  };
}

/** Returns one event per principal and cloud. */
function eventsOf(assigned: readonly AssignedUpload[]): NewEventOf<DomainEvents>[] {
  const groups = Map.groupBy(assigned, ({ lockedUpload }) => `${lockedUpload.cloudId} ${lockedUpload.principal}`);
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map(({ lockedUpload: { cloudId, principal } }) => ({
      name: 'mcdisk.content.added' as const,
      key: cloudId,
      payload: { cloudID: cloudId, contentIDs: group.map(({ lockedUpload }) => lockedUpload.contentId), by: principal },
    })),
  );
}

function assignBlob(
  { finishedUpload, lockedUpload, cid }: AcceptedUpload,
  assignment: BlobAssignment,
  folders: ReadonlySet<string>,
): AssignedUpload | ServiceError {
  const blobKey = assignment.assign(finishedUpload);
  if (blobKey === undefined) return new ServiceError('UPLOAD_STATE');
  const { contentId, parentFolderId } = lockedUpload;
  const content: NewContent = {
    contentId,
    blobKey,
    digest: finishedUpload.digest,
    type: finishedUpload.media.contentType,
    mediaType: finishedUpload.media.mediaType,
    cid,
    // Contents of a deleted folder move to the root, so that no upload is lost.
    parentFolderId: parentFolderId !== null && folders.has(parentFolderId) ? parentFolderId : null,
  };
  return { content, lockedUpload };
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
