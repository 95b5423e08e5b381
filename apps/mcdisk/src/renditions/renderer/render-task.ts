import type { RenditionKind } from '@family-watch/domain/family-cloud/contracts/blob';

/** Maximum number of pixels of a picture, all frames together; larger pictures are not rendered. */
export const MAX_PIXELS = 100_000_000;
/**
 * Maximum number of pixels of a HEIC picture that is rendered. The limit is smaller than MAX_PIXELS, because a HEIC
 * picture is decoded as a whole into separate memory, with about ten bytes per pixel.
 */
export const MAX_HEIC_PIXELS = 64_000_000;
/** Maximum size of a picture that is rendered, bytes. */
export const MAX_PICTURE_BYTES = 64 * 1024 * 1024;
/** Maximum size of a rendition of a picture, bytes. */
export const MAX_RENDITION_BYTES = 256 * 1024 * 1024;

/** First message of the renderer, sent when it is ready for tasks. */
export const RENDERER_READY = 'ready';

/** A task for the renderer; `size` bytes of the picture follow on the data channel. */
export interface RenderTask {
  kind: RenditionKind;
  /** Bytes. */
  size: number;
}

/** The properties of a rendered picture. */
export interface RenderedPicture {
  mediaType: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  /** Capture time from the metadata, Unix milliseconds, or `null` when the metadata has none. */
  capturedAt: number | null;
}

/**
 * The renderer's response; `size` bytes of the rendition follow on the data channel. The field `refused` means that the
 * picture can never be rendered: it exceeds the limits (TOO_LARGE) or cannot be decoded (UNREADABLE).
 */
export type RenderResponse =
  | (RenderedPicture & { size: number })
  | { refused: 'TOO_LARGE' | 'UNREADABLE'; reason: string };
