/**
 * A blob's life: STAGED while its bytes arrive, LIVE once a content refers to it, CONDEMNED when none does any
 * more, DELETING while the store removes it, GONE after that.
 */
export const BLOB_STATE = {
  STAGED: 'STAGED',
  LIVE: 'LIVE',
  CONDEMNED: 'CONDEMNED',
  DELETING: 'DELETING',
  GONE: 'GONE',
} as const;
export type BlobState = (typeof BLOB_STATE)[keyof typeof BLOB_STATE];
