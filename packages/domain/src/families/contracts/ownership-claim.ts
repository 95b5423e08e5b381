/** A guardian asks for the ownership of a family whose owner is lost. */
export const OWNERSHIP_CLAIM_STATE = {
  OPEN: 'OPEN',
  REFUSED: 'REFUSED',
  /** By the one who made it, or because that one is no guardian any more. */
  WITHDRAWN: 'WITHDRAWN',
  GRANTED: 'GRANTED',
} as const;
export type OwnershipClaimState = (typeof OWNERSHIP_CLAIM_STATE)[keyof typeof OWNERSHIP_CLAIM_STATE];

/** How long owner and guardians have before the family gets its new owner, milliseconds (7 days). */
export const OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS = 7 * 24 * 60 * 60 * 1000;
