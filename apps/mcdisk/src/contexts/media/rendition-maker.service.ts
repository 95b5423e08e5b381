import { Readable, addAbortSignal, pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { RENDITION_KIND } from '@family-watch/domain/family-cloud/contracts/rendition';
import { BlobMissingError, BlobStore, HEAD_BYTES } from '../blobs/blob-store.js';
import { mediaTypeOf } from '../blobs/media-type.js';
import { anonymizing } from './films/anonymous-film.js';
import { UnreadableFilmError } from './films/box.js';
import { readFilm } from './films/film.js';
import type { Film, FilmBytes } from './films/film.js';
import { shotTimeOfFilm } from './films/film-time.js';
import { patching } from './films/patch.js';
import { NoPosterError, PosterService } from './films/poster.service.js';
import { MAX_RENDITION_BYTES } from './renderer/render-task.js';
import { RendererPool } from './renderer/renderer-pool.js';
import { PictureRefusedError } from './renderer/renderer-process.js';
import { RenditionKeeper } from './rendition-keeper.service.js';
import { isBoxed, planFor } from './rendition-plan.js';
import type { RenditionLease } from './rendition.js';

/** A source and what its first bytes say. */
interface Source {
  lease: RenditionLease;
  bytes: FilmBytes;
  mediaType: string;
  /** Ends what takes its time. */
  signal: AbortSignal;
}

/** Makes one rendition, by what the bytes are and never by what they are called. */
@Injectable()
export class RenditionMaker {
  constructor(
    private readonly store: BlobStore,
    private readonly pool: RendererPool,
    private readonly posters: PosterService,
    private readonly keeper: RenditionKeeper,
  ) {}

  /**
   * Ends the lease with whatever becomes of it. What cannot be read is told as FAILED, not thrown.
   * @param signal breaks it off; pictures are broken off by closing the pool
   * @throws LeaseOverError
   * @throws RendererEndedError, and what store and database throw: it may be tried again
   */
  async make(lease: RenditionLease, signal: AbortSignal): Promise<void> {
    try {
      const bytes = this.bytesOf(lease);
      const head = await bytes.read(0, Math.min(HEAD_BYTES, lease.size));
      const { mediaType } = await mediaTypeOf(head);
      await this.makeOf({ lease, bytes, mediaType, signal });
    } catch (error) {
      if (signal.aborted || !isOfTheSource(error)) throw error;
      const isNone = lease.kind === RENDITION_KIND.THUMBNAIL && error instanceof PictureRefusedError && error.tooLarge;
      await this.keeper.settle(lease, { state: isNone ? 'NONE' : 'FAILED', mediaType: null, capturedAt: null });
    }
  }

  private async makeOf(source: Source): Promise<void> {
    const { lease, mediaType } = source;
    switch (planFor(mediaType, lease.size, lease.kind)) {
      case 'PICTURE':
        return this.makePicture(lease, lease.size, () => this.store.open(lease.sourceKey));
      case 'POSTER':
        return this.makePoster(source);
      case 'ANONYMOUS_FILM':
        return this.makeAnonymousFilm(source);
      case 'ORIGINAL':
        return this.keeper.settle(lease, { state: 'NONE', mediaType, capturedAt: null });
      case 'NEVER': {
        const state = lease.kind === RENDITION_KIND.THUMBNAIL ? 'NONE' : 'FAILED';
        return this.keeper.settle(lease, { state, mediaType, capturedAt: null });
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
      return this.keeper.keep(lease, bytes, facts, MAX_RENDITION_BYTES);
    });
  }

  private async makePoster({ lease, bytes, mediaType, signal }: Source): Promise<void> {
    const film = isBoxed(mediaType) ? await structureOf(bytes) : undefined;
    const capturedAt = film ? shotTimeOfFilm(film, Date.now()) : null;
    if (!(await this.posters.canTry(mediaType))) {
      return this.keeper.settle(lease, { state: 'NONE', mediaType, capturedAt });
    }
    const poster = await this.posters.posterOf(bytes, { mediaType, film, signal });
    return this.makePicture(lease, poster.length, () => Promise.resolve(Readable.from([poster])), capturedAt);
  }

  private async makeAnonymousFilm({ lease, bytes, mediaType, signal }: Source): Promise<void> {
    const patches = anonymizing(await readFilm(bytes));
    const facts = { mediaType, width: null, height: null, capturedAt: null };
    const anonymous = addAbortSignal(signal, patching(patches));
    // What breaks off is told by whoever reads the end of it.
    pipeline(await this.store.open(lease.sourceKey), anonymous, () => undefined);
    try {
      await this.keeper.keep(lease, anonymous, facts, lease.size);
    } finally {
      anonymous.destroy();
    }
  }

  private bytesOf({ sourceKey, size }: RenditionLease): FilmBytes {
    return {
      size,
      read: async (start, length) =>
        length === 0 ? Buffer.alloc(0) : buffer(await this.store.open(sourceKey, { start, end: start + length - 1 })),
    };
  }
}

/** `undefined` for one that cannot be followed; ffmpeg may still see a picture. */
async function structureOf(bytes: FilmBytes): Promise<Film | undefined> {
  try {
    return await readFilm(bytes);
  } catch (error) {
    if (error instanceof UnreadableFilmError) return undefined;
    throw error;
  }
}

/** Trying again would not help. */
function isOfTheSource(error: unknown): boolean {
  return (
    error instanceof PictureRefusedError ||
    error instanceof UnreadableFilmError ||
    error instanceof NoPosterError ||
    error instanceof BlobMissingError
  );
}
