/**
 * What is made of a blob: THUMBNAIL, a small picture for lists; SHARED, what people outside the family may read in
 * place of the original, because it tells no position.
 */
export const RENDITION_KIND = { THUMBNAIL: 'THUMBNAIL', SHARED: 'SHARED' } as const;
export type RenditionKind = (typeof RENDITION_KIND)[keyof typeof RENDITION_KIND];

/**
 * NONE: nothing has to be made; there is no thumbnail of it, and the original itself may be shared. FAILED: it cannot
 * be made, and of the original nobody outside may read anything.
 */
export const RENDITION_STATE = { WAITING: 'WAITING', READY: 'READY', NONE: 'NONE', FAILED: 'FAILED' } as const;
export type RenditionState = (typeof RENDITION_STATE)[keyof typeof RENDITION_STATE];

/** Longer side of a thumbnail at most, pixels. */
export const THUMBNAIL_MAX_EDGE_PX = 512;
