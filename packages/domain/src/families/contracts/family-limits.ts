/**
 * How large a family can be. The bounds keep its whole snapshot, with every permission of every member for every
 * child spelled out, inside the 32 KiB that an event can carry.
 */
export const FAMILY_LIMITS = { children: 20, members: 12, pendingInvitations: 20 } as const;
