import { Readable, addAbortSignal, pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { RENDITION_KIND } from '@family-watch/domain/family-cloud/contracts/blob';
import { BlobMissingError, BlobStore, SIGNATURE_BYTES } from '../storage/blobs/blob-store.js';
import { detectMediaType } from '../storage/blobs/media-type.js';
import { metadataPatches, applyPatches } from './videos/strip-video-metadata.js';
import { UnreadableVideoError, readMp4 } from './videos/mp4-file.js';
import type { Mp4File, RandomAccessBytes } from './videos/mp4-file.js';
import { captureTimeOfVideo } from './capture-time.js';
import { NoPosterError, PosterService } from './videos/poster.service.js';
import { MAX_RENDITION_BYTES } from './renderer/render-task.js';
import { RendererPool } from './renderer/renderer-pool.js';
import { PictureRefusedError } from './renderer/renderer-process.js';
import { RenditionStoreService } from './rendition-store.service.js';
import { isIsoMediaFile, planRendition } from './rendition-plan.js';
import type { RenditionLease } from './rendition-plan.js';

/** A source and its detected media type. */
interface SourceFile {
  lease: RenditionLease;
  bytes: RandomAccessBytes;
  mediaType: string;
  /** Aborts the generation. */
  signal: AbortSignal;
}

/** Generates renditions in a way that depends on the detected media type, never on the file name. */
@Injectable()
export class RenditionGeneratorService {
  constructor(
    private readonly store: BlobStore,
    private readonly pool: RendererPool,
    private readonly posters: PosterService,
    private readonly renditions: RenditionStoreService,
  ) {}

  /**
   * Generates a rendition and completes the lease with its result. For an unreadable source the lease is completed with
   * the state FAILED, and no error is thrown.
   * @param signal aborts the generation; closing the pool aborts pictures
   * @throws LeaseExpiredError
   * @throws RendererEndedError, and errors of store and database; the generation may be retried after any of these
   * errors
   */
  async generate(lease: RenditionLease, signal: AbortSignal): Promise<void> {
    try {
      const bytes = this.toRandomAccess(lease);
      const head = await bytes.read(0, Math.min(SIGNATURE_BYTES, lease.size));
      const { mediaType } = await detectMediaType(head);
      await this.generateFrom({ lease, bytes, mediaType, signal });
    } catch (error) {
      if (signal.aborted || !isSourceError(error)) throw error;
      const isTooLargeForThumbnail =
        lease.kind === RENDITION_KIND.THUMBNAIL && error instanceof PictureRefusedError && error.tooLarge;
      await this.renditions.complete(lease, {
        state: isTooLargeForThumbnail ? 'NONE' : 'FAILED',
        mediaType: null,
        capturedAt: null,
      });
    }
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
        return this.renditions.complete(lease, { state: 'NONE', mediaType, capturedAt: null });
      case 'NEVER': {
        const state = lease.kind === RENDITION_KIND.THUMBNAIL ? 'NONE' : 'FAILED';
        return this.renditions.complete(lease, { state, mediaType, capturedAt: null });
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
      return this.renditions.save(lease, bytes, metadata, MAX_RENDITION_BYTES);
    });
  }

  private async generatePoster({ lease, bytes, mediaType, signal }: SourceFile): Promise<void> {
    const video = isIsoMediaFile(mediaType) ? await tryReadMp4(bytes) : undefined;
    const capturedAt = video ? captureTimeOfVideo(video, Date.now()) : null;
    if (!(await this.posters.canExtract(mediaType))) {
      return this.renditions.complete(lease, { state: 'NONE', mediaType, capturedAt });
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
      await this.renditions.save(lease, stripped, metadata, lease.size);
    } finally {
      stripped.destroy();
    }
  }

  private toRandomAccess({ sourceKey, size }: RenditionLease): RandomAccessBytes {
    return {
      size,
      read: async (start, length) =>
        length === 0 ? Buffer.alloc(0) : buffer(await this.store.open(sourceKey, { start, end: start + length - 1 })),
    };
  }
}

/**
 * Returns the structure of a video, or `undefined` when it cannot be read, although ffmpeg may still be able to extract
 * a picture.
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
