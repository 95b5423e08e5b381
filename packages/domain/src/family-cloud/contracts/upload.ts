/**
 * States of an announced file: PENDING before its first bytes arrive, RECEIVING while they arrive, then one of four
 * final states. Only PENDING and RECEIVING reserve quota.
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
