/**
 * States of a blob. STAGED: its bytes are arriving. LIVE: a file refers to it. CONDEMNED: no file refers to it any
 * more, and its grace period has not ended. DELETING: the store is deleting it. GONE: it is deleted.
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
 * States of an upload. PENDING: no bytes have arrived. RECEIVING: bytes are arriving. The other states are final. Only
 * uploads in state PENDING or RECEIVING reserve quota.
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
 * Kinds of renditions, the files derived from a blob. THUMBNAIL: a small image for lists. SHARED: a copy without
 * metadata such as the location, which readers outside the family receive instead of the original.
 */
export const RENDITION_KIND = { THUMBNAIL: 'THUMBNAIL', SHARED: 'SHARED' } as const;
export type RenditionKind = (typeof RENDITION_KIND)[keyof typeof RENDITION_KIND];

/**
 * States of a rendition. WAITING: not created yet. NONE: no rendition is needed: the file has no thumbnail, or its
 * original may be shared. FAILED: the rendition cannot be created; the original must not be shared outside the family.
 */
export const RENDITION_STATE = { WAITING: 'WAITING', READY: 'READY', NONE: 'NONE', FAILED: 'FAILED' } as const;
export type RenditionState = (typeof RENDITION_STATE)[keyof typeof RENDITION_STATE];

/** Maximum length of a thumbnail's longer edge, in pixels. */
export const THUMBNAIL_MAX_EDGE_PX = 512;
