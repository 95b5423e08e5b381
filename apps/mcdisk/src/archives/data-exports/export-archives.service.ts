import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import {
  DATA_EXPORT_STATE,
  EXPORT_FAILURE_REASON,
  type DataExportEvents,
  type ExportFailureReason,
  type ExportProgress,
} from '@family-watch/domain/privacy/contracts/data-export';
import { Environment } from '@family-watch/platform/config/environment';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { McdiskOutbox, McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { BlobDeletionService } from '../../storage/blobs/blob-deletion.service.js';
import { BlobRepository } from '../../storage/blobs/blob.repository.js';
import { BlobStore, BlobTooLargeError, type StagedBlob } from '../../storage/blobs/blob-store.js';
import { ArchiveAssemblerService } from './archive-assembler.service.js';
import { ArchiveWriter } from './archive-writer.js';
import { ExportArchiveRepository, type ArchiveClaim } from './export-archive.repository.js';

const ASSEMBLY_JOB = 'mcdisk.data-exports.assemble';
const JOB_INTERVAL_MS = 5_000;
/** Milliseconds after which another process takes over an archive whose process does not report any more. */
const CLAIM_MS = 60_000;
const REPORT_INTERVAL_MS = 2_000;
const MAX_ATTEMPTS = 5;
/** Milliseconds before the second attempt; multiplied by the number of attempts before later ones. */
const RETRY_DELAY_MS = 15_000;
const BYTES_PER_MEBIBYTE = 2 ** 20;
/** Part of the space for exports that the archive of one person may occupy. A person has at most one archive. */
const SHARE = 1 / 4;
/** Milliseconds after which an archive that does not fit is tried again. It is also tried when another one is deleted. */
const POSTPONEMENT_MS = 60_000;
/** Milliseconds after which later archives leave free space to the first one that waits. */
const RESERVATION_DELAY_MS = 60 * 60_000;
const MEASURED_BATCH_SIZE = 100;

const { WAITING, RUNNING, READY, FAILED } = DATA_EXPORT_STATE;
const { TOO_LARGE, ERROR } = EXPORT_FAILURE_REASON;
type Progress = DataExportEvents['mcdisk.data-export.progressed'];
const NO_PROGRESS: ExportProgress = { records: 0, files: 0, bytes: 0 };

/** The export has ended, or another process has taken over its archive. */
class ClaimEndedError extends Error {
  override readonly name = 'ClaimEndedError';
}

/** The archive needs more than the space that is available at this moment, or more than the share of the person. */
class NoSpaceError extends Error {
  override readonly name = 'NoSpaceError';

  /** @param bytes size that the archive has at least */
  constructor(readonly bytes: number) {
    super('The archive does not fit');
  }
}

/**
 * Assembles, stores and deletes the archives of exports. An archive is written in one pass: after a restart it is written
 * again from the start.
 */
@Injectable()
export class ExportArchivesService {
  private readonly logger = new Logger(ExportArchivesService.name);
  private readonly storageLimit: number;
  private readonly share: number;

  constructor(
    private readonly unitOfWork: McdiskUnitOfWork,
    private readonly outbox: McdiskOutbox,
    private readonly archives: ExportArchiveRepository,
    private readonly assembler: ArchiveAssemblerService,
    private readonly store: BlobStore,
    private readonly blobs: BlobRepository,
    private readonly blobDeletion: BlobDeletionService,
    private readonly jobs: JobScheduler,
    { DATA_EXPORT_STORAGE }: Environment,
  ) {
    this.storageLimit = DATA_EXPORT_STORAGE * BYTES_PER_MEBIBYTE;
    this.share = this.storageLimit * SHARE;
  }

  /** Begins to assemble the archive after the commit of the current transaction. */
  async request(exportId: string, userId: string): Promise<void> {
    await this.archives.insert(exportId, userId, Date.now());
    this.unitOfWork.afterCommit(() => this.jobs.trigger(ASSEMBLY_JOB));
  }

  /**
   * Deletes an archive, or all archives of a person, in the current transaction; its bytes after the commit.
   * @returns the number of archives
   */
  async delete(where: { exportId: string } | { userId: string }): Promise<number> {
    const now = Date.now();
    const archives = await this.archives.lock(where);
    for (const { exportId, blobKey } of archives) {
      await this.archives.delete(exportId);
      if (blobKey === null) continue;
      await this.blobs.deleteNow(blobKey, now);
      // If this fails, garbage collection deletes the bytes.
      this.unitOfWork.afterCommit(() => void this.blobDeletion.deleteBytes(blobKey));
    }
    if (archives.some(({ blobKey }) => blobKey !== null)) {
      await this.archives.wakePostponed(now);
      this.unitOfWork.afterCommit(() => this.jobs.trigger(ASSEMBLY_JOB));
    }
    return archives.length;
  }

  /** Assembles the archives that are due, one after the other. */
  @OnJob(ASSEMBLY_JOB, { intervalMs: JOB_INTERVAL_MS })
  async assembleDue(_now: number, stopSignal: AbortSignal): Promise<void> {
    while (this.assembler.isAvailable && !stopSignal.aborted) {
      await this.measure();
      const now = Date.now();
      const claim = await this.archives.claim(now, now + CLAIM_MS, randomUUID());
      if (!claim) return;
      // Each of the attempts has ended with its process, which the archive may have caused.
      if (claim.attempts > MAX_ATTEMPTS) await this.giveUp(claim);
      else await this.assemble(claim, stopSignal);
    }
  }

  /** Determines the expected sizes, which decide the order. An archive whose size cannot be determined counts as empty. */
  private async measure(): Promise<void> {
    for (const { exportId, userId } of await this.archives.findUnmeasured(MEASURED_BATCH_SIZE)) {
      try {
        await this.archives.setExpectedSize(exportId, await this.assembler.sumFileSizes(userId));
      } catch (err) {
        this.logger.warn({ msg: 'Size of an export could not be determined', exportId, err });
      }
    }
  }

  private async assemble(claim: ArchiveClaim, stopSignal: AbortSignal): Promise<void> {
    const { exportId, previousKey, stagedKey } = claim;
    const abort = new AbortController();
    const writer = new ArchiveWriter(new Date(), AbortSignal.any([stopSignal, abort.signal]));
    const reports = setInterval(() => {
      this.report(claim, writer.progress).catch((error: unknown) => abort.abort(error));
    }, REPORT_INTERVAL_MS);
    try {
      if (previousKey !== null) await this.store.discard(previousKey);
      const limit = await this.findLimit(claim);
      await this.report(claim, NO_PROGRESS);
      const staged = await this.stage(claim, limit, writer, abort);
      await this.store.promote(stagedKey);
      await this.complete(claim, staged, writer.progress);
    } catch (error) {
      const isClaimEnded = error instanceof ClaimEndedError || abort.signal.reason instanceof ClaimEndedError;
      if (stopSignal.aborted) await this.archives.release(claim, Date.now());
      else if (error instanceof NoSpaceError) await this.postponeOrFail(claim, writer.progress, error.bytes);
      else if (!isClaimEnded) await this.retryOrFail(claim, writer.progress, error);
      // The bytes are the archive if the commit succeeded and only its confirmation was lost.
      if (!(await this.archives.isComplete(claim))) await this.store.discard(stagedKey).catch(() => undefined);
      if (isClaimEnded || error instanceof NoSpaceError) return;
    } finally {
      clearInterval(reports);
    }
    this.logger.log({ msg: 'Archive of an export was processed', exportId, ...writer.progress });
  }

  /**
   * Returns the bytes that the archive may occupy.
   * @throws NoSpaceError if it is known to need more
   */
  private async findLimit({ exportId, expectedSize }: ArchiveClaim): Promise<number> {
    const waitingSince = Date.now() - RESERVATION_DELAY_MS;
    const available = this.storageLimit - (await this.archives.sumSizesExcept(exportId, waitingSince));
    const limit = Math.max(0, Math.min(this.share, available));
    if (expectedSize !== null && expectedSize > limit) throw new NoSpaceError(expectedSize);
    return limit;
  }

  /**
   * Writes the archive to the store. Ends when both the writing and the staging have ended.
   * @throws NoSpaceError
   */
  private async stage(
    { userId, stagedKey }: ArchiveClaim,
    limit: number,
    writer: ArchiveWriter,
    abort: AbortController,
  ): Promise<StagedBlob> {
    const staging = this.store.stage(stagedKey, writer.output, limit).catch((error: unknown) => {
      const reason = error instanceof BlobTooLargeError ? new NoSpaceError(limit + 1) : error;
      abort.abort(reason);
      throw reason;
    });
    const writing = this.assembler.writeAll(userId, writer).catch((error: unknown) => {
      writer.fail(error instanceof Error ? error : new Error(String(error)));
      throw error;
    });
    const [staged, written] = await Promise.allSettled([staging, writing]);
    // If the store fails, the writing is aborted; if the writing fails, the store reads an incomplete archive.
    if (written.status === 'rejected' && !isAbortError(written.reason)) throw written.reason;
    if (staged.status === 'rejected') throw staged.reason;
    if (written.status === 'rejected') throw written.reason;
    return staged.value;
  }

  private async complete(claim: ArchiveClaim, staged: StagedBlob, progress: ExportProgress): Promise<void> {
    await this.unitOfWork.run(async () => {
      if (!(await this.archives.complete(claim, staged, Date.now()))) throw new ClaimEndedError();
      await this.publish(claim.exportId, READY, { ...progress, size: staged.size });
    });
  }

  /** Extends the claim and publishes the progress. @throws ClaimEndedError */
  private async report(claim: ArchiveClaim, progress: ExportProgress): Promise<void> {
    await this.unitOfWork.run(async () => {
      if (!(await this.archives.moveDueTime(claim, Date.now() + CLAIM_MS))) throw new ClaimEndedError();
      await this.publish(claim.exportId, RUNNING, { ...progress, size: 0 });
    });
  }

  /** Lets an archive wait for space that others use. An archive that exceeds the share of a person fails. */
  private async postponeOrFail(claim: ArchiveClaim, progress: ExportProgress, expectedSize: number): Promise<void> {
    const { exportId, attempts } = claim;
    if (expectedSize > this.share) {
      this.logger.log({ msg: 'Archive of an export exceeds the share of a person', exportId, expectedSize });
      return this.fail(claim, progress, TOO_LARGE);
    }
    this.logger.log({ msg: 'Archive of an export was postponed', exportId, attempts, expectedSize });
    await this.unitOfWork.run(async () => {
      if (await this.archives.postpone(claim, Date.now() + POSTPONEMENT_MS, expectedSize))
        await this.publish(exportId, WAITING, { ...NO_PROGRESS, size: 0 });
    });
  }

  private async retryOrFail(claim: ArchiveClaim, progress: ExportProgress, err: unknown): Promise<void> {
    const { exportId, attempts } = claim;
    const isLastAttempt = attempts >= MAX_ATTEMPTS;
    this.logger.warn({ msg: 'Archive of an export could not be assembled', exportId, attempts, isLastAttempt, err });
    if (!isLastAttempt) {
      await this.archives.moveDueTime(claim, Date.now() + RETRY_DELAY_MS * attempts);
      return;
    }
    await this.fail(claim, progress, ERROR);
  }

  private async giveUp(claim: ArchiveClaim): Promise<void> {
    const { exportId, attempts, previousKey } = claim;
    this.logger.error({ msg: 'Archive of an export was given up, because its processes ended', exportId, attempts });
    if (previousKey !== null) await this.store.discard(previousKey);
    await this.fail(claim, NO_PROGRESS, ERROR);
  }

  private async fail(claim: ArchiveClaim, progress: ExportProgress, failureReason: ExportFailureReason): Promise<void> {
    await this.unitOfWork.run(async () => {
      if (await this.archives.deleteClaimed(claim))
        await this.publish(claim.exportId, FAILED, { ...progress, size: 0, failureReason });
    });
  }

  private async publish(
    exportId: string,
    state: Progress['state'],
    progress: Omit<Progress, 'exportId' | 'state' | 'time'>,
  ): Promise<void> {
    const payload = { exportId, state, ...progress, time: Date.now() };
    await this.outbox.append({ name: 'mcdisk.data-export.progressed', key: exportId, payload });
  }
}

function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
