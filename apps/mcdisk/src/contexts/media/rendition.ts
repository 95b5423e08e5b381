import type { RenditionKind } from '@family-watch/domain/family-cloud/contracts/rendition';

/** Bytes that can be read: those of a rendition, or the original where nothing has to be made of it. */
export interface Rendition {
  blobKey: string;
  /** Told from the bytes. */
  mediaType: string;
  /** Bytes. */
  size: number;
  /** SHA-256, lower-case hex. */
  digest: string;
}

/** One that somebody makes at the moment. */
export interface RenditionLease {
  sourceKey: string;
  kind: RenditionKind;
  /** Whose the source is, and what is made of it. */
  cloudId: string;
  /** Bytes of the source. */
  size: number;
  /** This attempt among them. */
  attempts: number;
  /** Random id of this attempt. */
  holder: string;
}

/** One that was made and is to be found. */
export interface ReadyRendition extends Rendition, RenditionMetadata {
  state: 'READY';
}

/** What is known of one beside its bytes. */
export interface RenditionMetadata {
  /** Told from the bytes. */
  mediaType: string;
  /** Pixels; `null` where there are none to count. */
  width: number | null;
  /** Pixels. */
  height: number | null;
  /** When the source was taken, Unix milliseconds. */
  capturedAt: number | null;
}

/** What is known of a source of which nothing was made. */
export interface RenditionNotApplicable {
  state: 'NONE' | 'FAILED';
  /** `null` where the source could not be read. */
  mediaType: string | null;
  /** Unix milliseconds. */
  capturedAt: number | null;
}
