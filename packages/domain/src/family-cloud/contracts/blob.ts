/**
 * States of a blob: STAGED while the bytes of the blob arrive, LIVE while a file refers to the blob, CONDEMNED after the
 * last reference was removed, DELETING while the store deletes the blob, then GONE.
 */
export const BLOB_STATE = {
  STAGED: 'STAGED',
  LIVE: 'LIVE',
  CONDEMNED: 'CONDEMNED',
  DELETING: 'DELETING',
  GONE: 'GONE',
} as const;
export type BlobState = (typeof BLOB_STATE)[keyof typeof BLOB_STATE];

/**
 * States of an announced file: PENDING before the first bytes arrive, RECEIVING while bytes arrive, and four final
 * states. Only files in state PENDING or RECEIVING reserve quota.
 */
export const UPLOAD_STATE = {
  PENDING: 'PENDING',
  RECEIVING: 'RECEIVING',
  COMPLETE: 'COMPLETE',
  REFUSED: 'REFUSED',
  ABORTED: 'ABORTED',
  EXPIRED: 'EXPIRED',
} as const;
export type UploadState = (typeof UPLOAD_STATE)[keyof typeof UPLOAD_STATE];

/**
 * Files derived from a blob. THUMBNAIL: a small image for lists. SHARED: the copy without location metadata that people
 * outside the family read instead of the original.
 */
export const RENDITION_KIND = { THUMBNAIL: 'THUMBNAIL', SHARED: 'SHARED' } as const;
export type RenditionKind = (typeof RENDITION_KIND)[keyof typeof RENDITION_KIND];

/**
 * NONE: no rendition is needed; the file has no thumbnail, and its original may be shared. FAILED: the rendition
 * cannot be created, and nobody outside the family may read the original.
 */
export const RENDITION_STATE = { WAITING: 'WAITING', READY: 'READY', NONE: 'NONE', FAILED: 'FAILED' } as const;
export type RenditionState = (typeof RENDITION_STATE)[keyof typeof RENDITION_STATE];

/** Maximum length of a thumbnail's longer edge, in pixels. */
export const THUMBNAIL_MAX_EDGE_PX = 512;
