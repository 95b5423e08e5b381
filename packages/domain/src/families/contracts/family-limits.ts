/**
 * Limits of a family. The limits keep the family's whole snapshot, with every permission of every member for every
 * child, below the maximum event size of 32 KiB.
 */
export const FAMILY_LIMITS = {
  children: 20,
  members: 12,
  pendingInvitations: 20,
  pendingApplications: 20,
  /**
   * Maximum number of ownership claims by one guardian in 24 hours. Each claim sends a notice to every member who can
   * refuse the claim.
   */
  claimsPerDay: 5,
} as const;
