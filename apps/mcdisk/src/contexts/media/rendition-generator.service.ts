import { Readable, addAbortSignal, pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { RENDITION_KIND } from '@family-watch/domain/family-cloud/contracts/rendition';
import { BlobMissingError, BlobStore, SIGNATURE_BYTES } from '../blobs/blob-store.js';
import { detectMediaType } from '../blobs/media-type.js';
import { metadataPatches } from './videos/strip-video-metadata.js';
import { UnreadableVideoError } from './videos/box.js';
import { readMp4 } from './videos/mp4-file.js';
import type { Mp4File, RandomAccessBytes } from './videos/mp4-file.js';
import { captureTimeOfVideo } from './videos/video-capture-time.js';
import { applyPatches } from './videos/patch.js';
import { NoPosterError, PosterService } from './videos/poster.service.js';
import { MAX_RENDITION_BYTES } from './renderer/render-task.js';
import { RendererPool } from './renderer/renderer-pool.js';
import { PictureRefusedError } from './renderer/renderer-process.js';
import { RenditionStoreService } from './rendition-store.service.js';
import { isIsoMediaFile, planRendition } from './rendition-plan.js';
import type { RenditionLease } from './rendition.js';

/** A source and what its first bytes say. */
interface Source {
  lease: RenditionLease;
  bytes: RandomAccessBytes;
  mediaType: string;
  /** Ends what takes its time. */
  signal: AbortSignal;
}

/** Makes one rendition, by what the bytes are and never by what they are called. */
@Injectable()
export class RenditionGeneratorService {
  constructor(
    private readonly store: BlobStore,
    private readonly pool: RendererPool,
    private readonly posters: PosterService,
    private readonly keeper: RenditionStoreService,
  ) {}

  /**
   * Ends the lease with whatever becomes of it. What cannot be read is told as FAILED, not thrown.
   * @param signal breaks it off; pictures are broken off by closing the pool
   * @throws LeaseExpiredError
   * @throws RendererEndedError, and what store and database throw: it may be tried again
   */
  async generate(lease: RenditionLease, signal: AbortSignal): Promise<void> {
    try {
      const bytes = this.bytesOf(lease);
      const head = await bytes.read(0, Math.min(SIGNATURE_BYTES, lease.size));
      const { mediaType } = await detectMediaType(head);
      await this.makeOf({ lease, bytes, mediaType, signal });
    } catch (error) {
      if (signal.aborted || !isOfTheSource(error)) throw error;
      const isNone = lease.kind === RENDITION_KIND.THUMBNAIL && error instanceof PictureRefusedError && error.tooLarge;
      await this.keeper.complete(lease, { state: isNone ? 'NONE' : 'FAILED', mediaType: null, capturedAt: null });
    }
  }

  private async makeOf(source: Source): Promise<void> {
    const { lease, mediaType } = source;
    switch (planRendition(mediaType, lease.size, lease.kind)) {
      case 'PICTURE':
        return this.makePicture(lease, lease.size, () => this.store.open(lease.sourceKey));
      case 'POSTER':
        return this.makePoster(source);
      case 'ANONYMOUS_FILM':
        return this.makeAnonymousFilm(source);
      case 'ORIGINAL':
        return this.keeper.complete(lease, { state: 'NONE', mediaType, capturedAt: null });
      case 'NEVER': {
        const state = lease.kind === RENDITION_KIND.THUMBNAIL ? 'NONE' : 'FAILED';
        return this.keeper.complete(lease, { state, mediaType, capturedAt: null });
      }
    }
  }

  /** @param capturedAt what is known of it beforehand, Unix milliseconds */
  private makePicture(
    lease: RenditionLease,
    size: number,
    open: () => Promise<Readable>,
    capturedAt: number | null = null,
  ): Promise<void> {
    return this.pool.render({ kind: lease.kind, size }, open, ({ bytes, mediaType, width, height, ...rendered }) => {
      const facts = { mediaType, width, height, capturedAt: capturedAt ?? rendered.capturedAt };
      return this.keeper.save(lease, bytes, facts, MAX_RENDITION_BYTES);
    });
  }

  private async makePoster({ lease, bytes, mediaType, signal }: Source): Promise<void> {
    const film = isIsoMediaFile(mediaType) ? await structureOf(bytes) : undefined;
    const capturedAt = film ? captureTimeOfVideo(film, Date.now()) : null;
    if (!(await this.posters.canExtract(mediaType))) {
      return this.keeper.complete(lease, { state: 'NONE', mediaType, capturedAt });
    }
    const poster = await this.posters.extractPoster(bytes, { mediaType, film, signal });
    return this.makePicture(lease, poster.length, () => Promise.resolve(Readable.from([poster])), capturedAt);
  }

  private async makeAnonymousFilm({ lease, bytes, mediaType, signal }: Source): Promise<void> {
    const patches = metadataPatches(await readMp4(bytes));
    const facts = { mediaType, width: null, height: null, capturedAt: null };
    const anonymous = addAbortSignal(signal, applyPatches(patches));
    // What breaks off is told by whoever reads the end of it.
    pipeline(await this.store.open(lease.sourceKey), anonymous, () => undefined);
    try {
      await this.keeper.save(lease, anonymous, facts, lease.size);
    } finally {
      anonymous.destroy();
    }
  }

  private bytesOf({ sourceKey, size }: RenditionLease): RandomAccessBytes {
    return {
      size,
      read: async (start, length) =>
        length === 0 ? Buffer.alloc(0) : buffer(await this.store.open(sourceKey, { start, end: start + length - 1 })),
    };
  }
}

/** `undefined` for one that cannot be followed; ffmpeg may still see a picture. */
async function structureOf(bytes: RandomAccessBytes): Promise<Mp4File | undefined> {
  try {
    return await readMp4(bytes);
  } catch (error) {
    if (error instanceof UnreadableVideoError) return undefined;
    throw error;
  }
}

/** Trying again would not help. */
function isOfTheSource(error: unknown): boolean {
  return (
    error instanceof PictureRefusedError ||
    error instanceof UnreadableVideoError ||
    error instanceof NoPosterError ||
    error instanceof BlobMissingError
  );
}
