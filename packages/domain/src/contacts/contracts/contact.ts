import type { FamilyRole } from '../../families/contracts/family-role.js';
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

/** A contact of a child, and how the contact and the child may communicate. */
export interface Contact {
  refId: string;
  cid: string;
  /** Account of the member; absent for a phone number without an account. */
  userId?: string;
  name: string;
  phoneNumber: string;
  /** Country calling code, with `+`. */
  areaCode: string;
  /** The name by which the child calls this person. */
  appellation: string;
  identityType: IdentityType;
  /**
   * The contact's role in the family. For a contact without an account, the role is only a label and grants no rights.
   */
  role: FamilyRole;
  /** An SOS notifies the contacts one after another, the one with the lowest `sosOrder` first; unique per child. */
  sosOrder: number;
  canCall: boolean;
  canChat: boolean;
  canVideo: boolean;
  /** True if the contact may communicate with the child during school time. */
  schoolAllowed: boolean;
}

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
