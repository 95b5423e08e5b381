import type { ChildPermission } from '../../families/contracts/family-role.js';

/**
 * Rule that selects the recipients of a family's message: every member, the members who can see the children, the
 * members of the family group, or the members with a permission for the child. A watch receives the messages about its
 * own child, whatever the audience.
 */
export type Audience = 'MEMBERS' | 'GUARDIANS' | 'FAMILY_GROUP' | ChildPermission;

/** What a message is about: the family, the child and the audience, which together determine who may receive it. */
export interface DeliverySubject {
  /** `null` if the message belongs to no family; membership is then not checked. */
  familyId: string | null;
  cid: string | null;
  audience: Audience;
}
