import { randomUUID } from 'node:crypto';
import { Readable, addAbortSignal, pipeline } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { RENDITION_KIND } from '@family-watch/domain/family-cloud/contracts/blob';
import { McdiskUnitOfWork } from '../infrastructure/mcdisk-infrastructure.js';
import { BlobDeletionService } from '../storage/blobs/blob-deletion.service.js';
import { BlobStore, BlobMissingError, SIGNATURE_BYTES } from '../storage/blobs/blob-store.js';
import {
  isIsoMediaFile,
  planRendition,
  type RenditionNotApplicable,
  type ReadyRendition,
  type RenditionMetadata,
  type RenditionLease,
} from './rendition-plan.js';
import { RenditionRepository } from './rendition.repository.js';
import { detectMediaType } from '../storage/blobs/media-type.js';
import { metadataPatches, applyPatches } from './videos/strip-video-metadata.js';
import { UnreadableVideoError, readMp4, type Mp4File, type RandomAccessBytes } from '../storage/blobs/mp4-file.js';
import { captureTimeOfVideo } from './capture-time.js';
import { NoPosterError, PosterService } from './videos/poster.service.js';
import { MAX_RENDITION_BYTES } from './renderer/render-task.js';
import { RendererPool } from './renderer/renderer-pool.js';
import { PictureRefusedError } from './renderer/renderer-process.js';

/** The source of a rendition, and its detected media type. */
interface SourceFile {
  lease: RenditionLease;
  bytes: RandomAccessBytes;
  mediaType: string;
  /** Aborts the generation. */
  signal: AbortSignal;
}

/** The lease has expired, or the source was deleted; the result is discarded. */
export class LeaseExpiredError extends Error {
  override readonly name = 'LeaseExpiredError';
}

/** Generates renditions in a way that depends on the detected media type, never on the file name. */
@Injectable()
export class RenditionGeneratorService {
  constructor(
    private readonly store: BlobStore,
    private readonly pool: RendererPool,
    private readonly posters: PosterService,
    private readonly renditions: RenditionRepository,
    private readonly blobDeletion: BlobDeletionService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * Generates a rendition and completes the lease with its result. For an unreadable source the lease is completed with
   * the state FAILED, and no error is thrown.
   * @param signal aborts the generation; the rendering of pictures is aborted by closing the renderer pool
   * @throws LeaseExpiredError
   * @throws RendererEndedError, and errors of store and database; the generation may be retried after any of these
   * errors
   */
  async generate(lease: RenditionLease, signal: AbortSignal): Promise<void> {
    try {
      const bytes = this.store.toRandomAccess(lease.sourceKey, lease.size);
      const head = await bytes.read(0, Math.min(SIGNATURE_BYTES, lease.size));
      const { mediaType } = await detectMediaType(head, bytes);
      await this.generateFrom({ lease, bytes, mediaType, signal });
    } catch (error) {
      if (signal.aborted || !isSourceError(error)) throw error;
      const isTooLargeForThumbnail =
        lease.kind === RENDITION_KIND.THUMBNAIL && error instanceof PictureRefusedError && error.isTooLarge;
      await this.complete(lease, {
        state: isTooLargeForThumbnail ? 'NONE' : 'FAILED',
        mediaType: null,
        capturedAt: null,
      });
    }
  }

  /**
   * Stores the bytes of a generated rendition and completes the lease.
   * @throws LeaseExpiredError
   * @throws errors of the store and the source
   */
  private async save(
    lease: RenditionLease,
    bytes: Readable,
    metadata: RenditionMetadata,
    maxBytes: number,
  ): Promise<void> {
    const blobKey = randomUUID();
    await this.unitOfWork.run(async () => {
      if (!(await this.renditions.stage(lease, blobKey, Date.now()))) throw new LeaseExpiredError();
    });
    try {
      const { size, digest } = await this.store.stage(blobKey, bytes, maxBytes);
      await this.store.promote(blobKey, size);
      await this.complete(lease, { state: 'READY', blobKey, size, digest, ...metadata });
    } catch (error) {
      await this.discard(lease, blobKey);
      throw error;
    }
  }

  /**
   * Completes the lease with its result, and sets the capture time of the contents that refer to the source.
   * @throws LeaseExpiredError
   */
  async complete(lease: RenditionLease, result: ReadyRendition | RenditionNotApplicable): Promise<void> {
    const { capturedAt } = result;
    await this.unitOfWork.run(async () => {
      if (capturedAt !== null) await this.renditions.lockContentsWithoutCaptureTime(lease.sourceKey);
      if (!(await this.renditions.complete(lease, result, Date.now()))) throw new LeaseExpiredError();
      if (capturedAt !== null) await this.renditions.setCaptureTimeOfContents(lease.sourceKey, capturedAt);
    });
  }

  private async generateFrom(source: SourceFile): Promise<void> {
    const { lease, mediaType } = source;
    switch (planRendition(mediaType, lease.size, lease.kind)) {
      case 'PICTURE':
        return this.generatePicture(lease, lease.size, () => this.store.open(lease.sourceKey));
      case 'POSTER':
        return this.generatePoster(source);
      case 'STRIPPED_VIDEO':
        return this.stripVideo(source);
      case 'ORIGINAL':
        return this.complete(lease, { state: 'NONE', mediaType, capturedAt: null });
      case 'NEVER': {
        const state = lease.kind === RENDITION_KIND.THUMBNAIL ? 'NONE' : 'FAILED';
        return this.complete(lease, { state, mediaType, capturedAt: null });
      }
    }
  }

  /** @param capturedAt capture time if already determined, Unix milliseconds */
  private generatePicture(
    lease: RenditionLease,
    size: number,
    open: () => Promise<Readable>,
    capturedAt: number | null = null,
  ): Promise<void> {
    return this.pool.render({ kind: lease.kind, size }, open, ({ bytes, mediaType, width, height, ...rendered }) => {
      const metadata = { mediaType, width, height, capturedAt: capturedAt ?? rendered.capturedAt };
      return this.save(lease, bytes, metadata, MAX_RENDITION_BYTES);
    });
  }

  private async generatePoster({ lease, bytes, mediaType, signal }: SourceFile): Promise<void> {
    const video = isIsoMediaFile(mediaType) ? await tryReadMp4(bytes) : undefined;
    const capturedAt = video ? captureTimeOfVideo(video, Date.now()) : null;
    if (!(await this.posters.canExtract(mediaType))) {
      return this.complete(lease, { state: 'NONE', mediaType, capturedAt });
    }
    const poster = await this.posters.extractPoster(bytes, { mediaType, video, signal });
    return this.generatePicture(lease, poster.length, () => Promise.resolve(Readable.from([poster])), capturedAt);
  }

  private async stripVideo({ lease, bytes, mediaType, signal }: SourceFile): Promise<void> {
    const patches = metadataPatches(await readMp4(bytes));
    const metadata = { mediaType, width: null, height: null, capturedAt: null };
    const stripped = addAbortSignal(signal, applyPatches(patches));
    // Errors of the source are ignored, because the reader of the transform reports them.
    pipeline(await this.store.open(lease.sourceKey), stripped, () => undefined);
    try {
      await this.save(lease, stripped, metadata, lease.size);
    } finally {
      stripped.destroy();
    }
  }

  /**
   * Deletes the blob of a rendition, unless the commit succeeded and only its response was lost. If the deletion fails,
   * `UploadTerminationService.expire` deletes the blob later, like the blob of an upload that was not completed.
   */
  private async discard({ cloudId }: RenditionLease, blobKey: string): Promise<void> {
    try {
      if (await this.renditions.isReadyRendition(blobKey)) return;
      await this.blobDeletion.deleteStaged(cloudId, blobKey);
      // Garbage collection may have deleted the blob before its bytes were stored.
      await this.store.discard(blobKey);
    } catch {
      // The error of the deletion is ignored, because the caller reports the earlier error.
    }
  }
}

/**
 * Returns the structure of a video, or `undefined` when the structure cannot be read. Even then ffmpeg may extract a
 * picture from the video.
 */
async function tryReadMp4(bytes: RandomAccessBytes): Promise<Mp4File | undefined> {
  try {
    return await readMp4(bytes);
  } catch (error) {
    if (error instanceof UnreadableVideoError) return undefined;
    throw error;
  }
}

/** Returns whether the source caused the error, so that a retry would fail again. */
function isSourceError(error: unknown): boolean {
  return (
    error instanceof PictureRefusedError ||
    error instanceof UnreadableVideoError ||
    error instanceof NoPosterError ||
    error instanceof BlobMissingError
  );
}
