import type { RenditionKind } from '@family-watch/domain/family-cloud/contracts/blob';

/** The bytes of a rendition, or of the original where no rendition is needed. */
export interface Rendition {
  blobKey: string;
  /** Detected from the bytes. */
  mediaType: string;
  /** Bytes. */
  size: number;
  /** SHA-256, lower-case hex. */
  digest: string;
}

/** A rendition that is being generated. */
export interface RenditionLease {
  sourceKey: string;
  kind: RenditionKind;
  /** The cloud of the source. */
  cloudId: string;
  /** Bytes of the source. */
  size: number;
  /** Number of attempts, including this one. */
  attempts: number;
  /** Random id of this attempt. */
  holder: string;
}

/** A generated rendition. */
export interface ReadyRendition extends Rendition, RenditionMetadata {
  state: 'READY';
}

/** Properties of a rendition. */
export interface RenditionMetadata {
  /** Detected from the bytes. */
  mediaType: string;
  /** Width in pixels, or `null` for a rendition without dimensions. */
  width: number | null;
  /** Pixels. */
  height: number | null;
  /** Time at which the source was captured, Unix milliseconds. */
  capturedAt: number | null;
}

/** Properties of a source without a rendition. */
export interface RenditionNotApplicable {
  state: 'NONE' | 'FAILED';
  /** Detected from the bytes, or `null` when the source could not be read. */
  mediaType: string | null;
  /** Unix milliseconds. */
  capturedAt: number | null;
}
