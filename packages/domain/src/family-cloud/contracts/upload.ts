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
