export const INVITATION_STATE = { PENDING: 'PENDING', ACCEPTED: 'ACCEPTED', CANCELLED: 'CANCELLED' } as const;
export type InvitationState = (typeof INVITATION_STATE)[keyof typeof INVITATION_STATE];

/** How long an invitation code is valid, in milliseconds (72 hours). */
export const INVITATION_TTL_MS = 72 * 60 * 60 * 1000;
