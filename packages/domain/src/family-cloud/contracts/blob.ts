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
