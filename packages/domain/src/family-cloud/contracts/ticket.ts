/** What a ticket is: pinned here, used by userctx that signs it and by mcdisk that checks it. */
export const CLOUD_TICKET = {
  issuer: 'family-watch',
  audience: 'family-watch/mcdisk',
  type: 'fct+jwt',
  algorithm: 'EdDSA',
  /** Seconds. */
  lifetime: 3_600,
} as const;

/** The most that a ticket can allow; it only restricts what the Bearer may do, and opens nothing by itself. */
export const TICKET_SCOPE = { READ: 'read', ADD: 'add', DELETE: 'delete' } as const;
export type TicketScope = (typeof TICKET_SCOPE)[keyof typeof TICKET_SCOPE];

/** Claims of a ticket beyond issuer, audience, `iat` and `exp`: bound to one watch and one cloud. */
export interface CloudTicketClaims {
  did: number;
  cloudID: string;
  scope: TicketScope[];
}
