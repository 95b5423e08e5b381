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
