import type { FamilyRole } from '../../families/contracts/family-role.js';

/** Who a contact is to the child (specification 2.6 names the field; the numbers are this service's). */
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

/** Contacts that one child can have. */
export const MAX_CONTACTS_PER_CHILD = 100;

/** The last rank in which an SOS can ask somebody for help. */
export const MAX_SOS_ORDER = 1_000;

/** Whom a watch can reach, and how. */
export interface Contact {
  refId: string;
  cid: string;
  /** The account of a member; a contact without one is just a phone number. */
  userId?: string;
  name: string;
  phoneNumber: string;
  /** With `+`. */
  areaCode: string;
  /** What the child calls this person. */
  appellation: string;
  identityType: IdentityType;
  /** The role in the family; of a contact without an account it gives no rights. */
  role: FamilyRole;
  /** Rank in which an SOS asks for help, the smallest first; no two contacts of a child have the same. */
  sosOrder: number;
  canCall: boolean;
  canChat: boolean;
  canVideo: boolean;
  /** Can call during school time. */
  schoolAllowed: boolean;
}
