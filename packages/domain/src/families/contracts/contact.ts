import type { PrincipalKey } from '../../kernel/contracts/principal.js';

/** Relation of a contact to the child. Specification 2.6 defines the field, this service its numbers. */
export const IDENTITY_TYPE = {
  CUSTOM: 0,
  FATHER: 1,
  MOTHER: 2,
  GRANDFATHER: 3,
  GRANDMOTHER: 4,
  OTHER_RELATIVE: 5,
  FRIEND: 6,
} as const;

export type IdentityType = (typeof IDENTITY_TYPE)[keyof typeof IDENTITY_TYPE];

/** Maximum number of contacts per child. */
export const MAX_CONTACTS_PER_CHILD = 100;

/** Largest number that a contact's `sosOrder` can have. */
export const MAX_SOS_ORDER = 1_000;

/**
 * Changes of a child's contact list. CHILD_UPDATED: name, picture, time zone or step goal of the child itself changed,
 * which the members and the watches show beside the contacts.
 */
export const CONTACT_CHANGE = {
  CREATED: 'CREATED',
  UPDATED: 'UPDATED',
  DELETED: 'DELETED',
  CHILD_UPDATED: 'CHILD_UPDATED',
} as const;
export type ContactChange = (typeof CONTACT_CHANGE)[keyof typeof CONTACT_CHANGE];

/** Key: `familyId`. */
export interface ContactEvents {
  'userctx.contact.changed': {
    familyId: string;
    cid: string;
    /** The child's watch (`did`); `null` while no watch is bound. */
    did: number | null;
    /** The changed contact; for CHILD_UPDATED the `cid`. */
    refId: string;
    change: ContactChange;
    /** Version of the child's contact list after the change. */
    version: number;
    by: PrincipalKey;
  };
}
