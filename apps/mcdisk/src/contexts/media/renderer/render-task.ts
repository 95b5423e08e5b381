import type { RenditionKind } from '@family-watch/domain/family-cloud/contracts/rendition';

/** Pixels of a picture, all frames together, beyond which nothing is made of it. */
export const MAX_PIXELS = 100_000_000;
/** The same for HEIC, which is decoded as a whole and in memory of its own: about ten bytes for each. */
export const MAX_HEIC_PIXELS = 64_000_000;
/** Bytes of a picture beyond which nothing is made of it. */
export const MAX_PICTURE_BYTES = 64 * 1024 * 1024;
/** Bytes that a rendition of a picture may have. */
export const MAX_RENDITION_BYTES = 256 * 1024 * 1024;

/** The renderer's first message: it can work. */
export const RENDERER_READY = 'ready';

/** What the renderer is told; `size` bytes of the picture follow on the channel of bytes. */
export interface RenderTask {
  kind: RenditionKind;
  /** Bytes. */
  size: number;
}

/** What was made of a picture. */
export interface RenderedPicture {
  mediaType: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  /** When it was taken, as it says itself, Unix milliseconds; `null`: it does not say. */
  capturedAt: number | null;
}

/**
 * The renderer's answer; the bytes of what it made, `size` of them, follow on the channel of bytes. `refused`: of
 * this picture nothing can be made, now or later; TOO_LARGE for one that is beyond the limits.
 */
export type RenderAnswer = (RenderedPicture & { size: number }) | { refused: 'TOO_LARGE' | 'UNREADABLE'; why: string };
