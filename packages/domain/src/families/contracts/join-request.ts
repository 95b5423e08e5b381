/** Somebody asks to belong to a family; its owner alone decides. */
export const JOIN_REQUEST_STATE = {
  PENDING: 'PENDING',
  APPROVED: 'APPROVED',
  REJECTED: 'REJECTED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'EXPIRED',
} as const;
export type JoinRequestState = (typeof JOIN_REQUEST_STATE)[keyof typeof JOIN_REQUEST_STATE];

/** How long the owner has to decide, milliseconds (7 days). */
export const JOIN_REQUEST_TTL_MS = 7 * 24 * 60 * 60 * 1000;

/** How long an application that is over is kept, milliseconds (90 days); a rejected one as long as the family. */
export const JOIN_REQUEST_RETENTION_MS = 90 * 24 * 60 * 60 * 1000;

/** How long the family code that a watch shows can be used, in seconds. */
export const FAMILY_CODE_TTL_SECONDS = 300;
