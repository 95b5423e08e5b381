/** Role of a principal in a family cloud. CHILD_DEVICE: a watch, which acts for its child. */
export const CLOUD_ROLE = {
  OWNER: 'OWNER',
  MANAGER: 'MANAGER',
  MEMBER: 'MEMBER',
  CHILD_DEVICE: 'CHILD_DEVICE',
} as const;
export type CloudRole = (typeof CLOUD_ROLE)[keyof typeof CLOUD_ROLE];

/**
 * Rights in a family cloud. DELETE: to move files to the recycle bin. PURGE: to delete files permanently from the
 * recycle bin.
 */
export const CLOUD_RIGHT = { READ: 'READ', ADD: 'ADD', DELETE: 'DELETE', PURGE: 'PURGE' } as const;
export type CloudRight = (typeof CLOUD_RIGHT)[keyof typeof CLOUD_RIGHT];

/** Constants of cloud tickets, shared by userctx, which signs them, and mcdisk, which verifies them. */
export const CLOUD_TICKET = {
  issuer: 'family-watch',
  audience: 'family-watch/mcdisk',
  type: 'fct+jwt',
  algorithm: 'EdDSA',
  /** Seconds until a ticket expires. */
  lifetime: 3_600,
} as const;

/**
 * Scopes of a cloud ticket: the operations to which it restricts the bearer of an access token. A ticket grants no
 * permission itself.
 */
export const TICKET_SCOPE = { READ: 'read', ADD: 'add', DELETE: 'delete' } as const;
export type TicketScope = (typeof TICKET_SCOPE)[keyof typeof TICKET_SCOPE];

/**
 * Claims of a cloud ticket besides issuer, audience, `iat` and `exp`. A ticket is valid for one watch and one cloud.
 */
export interface CloudTicketClaims {
  did: number;
  cloudID: string;
  scope: TicketScope[];
}
