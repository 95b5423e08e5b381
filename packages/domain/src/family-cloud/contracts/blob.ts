/**
 * States of a blob: STAGED while its bytes arrive, LIVE while a content refers to it, CONDEMNED after the last
 * reference was removed, DELETING while the store deletes it, then GONE.
 */
export const BLOB_STATE = {
  STAGED: 'STAGED',
  LIVE: 'LIVE',
  CONDEMNED: 'CONDEMNED',
  DELETING: 'DELETING',
  GONE: 'GONE',
} as const;
export type BlobState = (typeof BLOB_STATE)[keyof typeof BLOB_STATE];
