/** States of a join request. Only the owner of the family decides on a join request. */
export const JOIN_REQUEST_STATE = {
  PENDING: 'PENDING',
  APPROVED: 'APPROVED',
  REJECTED: 'REJECTED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'EXPIRED',
} as const;
export type JoinRequestState = (typeof JOIN_REQUEST_STATE)[keyof typeof JOIN_REQUEST_STATE];

/** How long the owner can accept or reject a join request, in milliseconds (7 days). */
export const JOIN_REQUEST_TTL_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * How long a closed join request is retained, in milliseconds (90 days); a rejected request is retained as long as the
 * family exists.
 */
export const JOIN_REQUEST_RETENTION_MS = 90 * 24 * 60 * 60 * 1000;

/** How long the family code that a watch shows is valid, in seconds. */
export const FAMILY_CODE_TTL_SECONDS = 300;
