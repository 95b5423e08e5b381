/** States by which operators filter accounts. */
export const ACCOUNT_STATE = { ACTIVE: 'ACTIVE', SUSPENDED: 'SUSPENDED' } as const;
export type AccountState = (typeof ACCOUNT_STATE)[keyof typeof ACCOUNT_STATE];

/** States by which operators filter families. A dissolved family has no members; its former owner can restore it. */
export const FAMILY_STATE = { ACTIVE: 'ACTIVE', DISSOLVED: 'DISSOLVED' } as const;
export type FamilyState = (typeof FAMILY_STATE)[keyof typeof FAMILY_STATE];

/** States by which operators filter watches. UNBOUND: neither bound to a child nor revoked. */
export const WATCH_STATE = { BOUND: 'BOUND', UNBOUND: 'UNBOUND', REVOKED: 'REVOKED' } as const;
export type WatchState = (typeof WATCH_STATE)[keyof typeof WATCH_STATE];

/** Maximum number of watches that one request for a page examines: a filter can match few or none of them. */
export const MAX_EXAMINED_WATCHES = 20_000;
