/**
 * Limits of a family. They keep its whole snapshot, with every permission of every member for every child, below the
 * 32 KiB that an event may have.
 */
export const FAMILY_LIMITS = {
  children: 20,
  members: 12,
  pendingInvitations: 20,
  pendingApplications: 20,
  /** Ownership claims by one guardian in 24 hours. Each claim notifies every member who can refuse it. */
  claimsPerDay: 5,
} as const;
