/** States of an ownership claim: a guardian claims a family whose owner is unreachable. */
export const OWNERSHIP_CLAIM_STATE = {
  OPEN: 'OPEN',
  REFUSED: 'REFUSED',
  /** The claimant withdrew the claim or is no longer a guardian. */
  WITHDRAWN: 'WITHDRAWN',
  GRANTED: 'GRANTED',
} as const;
export type OwnershipClaimState = (typeof OWNERSHIP_CLAIM_STATE)[keyof typeof OWNERSHIP_CLAIM_STATE];

/** How long owner and guardians can object before the ownership is transferred, in milliseconds (7 days). */
export const OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS = 7 * 24 * 60 * 60 * 1000;
