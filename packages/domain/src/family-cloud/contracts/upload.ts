/**
 * An announced file: PENDING until its bytes come, RECEIVING while they do, and then one of four ends.
 * Only PENDING and RECEIVING hold a reservation of the quota.
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
