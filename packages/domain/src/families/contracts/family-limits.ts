/**
 * How large a family can be. The bounds keep its whole snapshot, with every permission of every member for every
 * child spelled out, inside the 32 KiB that an event can carry.
 */
export const FAMILY_LIMITS = {
  children: 20,
  members: 12,
  pendingInvitations: 20,
  pendingApplications: 20,
  /** Claims of ownership by one guardian in 24 hours: each is told to everybody who could refuse it. */
  claimsPerDay: 5,
} as const;
