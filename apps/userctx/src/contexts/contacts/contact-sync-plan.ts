import type { FamilyMemberEntity } from '@family-watch/domain/families/entities/family.entities';
import type { ContactEntity } from '@family-watch/domain/contacts/entities/contact.entities';

/**
 * The fields that a contact copies from the member. All other fields of a contact belong to the child's contact list.
 */
type CopiedFields = Pick<ContactEntity, 'role' | 'name' | 'areaCode' | 'phoneNumber'>;
type Member = CopiedFields & Pick<FamilyMemberEntity, 'userId'>;
type MemberContact = CopiedFields & Pick<ContactEntity, 'refId' | 'userId'>;

/** The changes that synchronize a child's contacts with the family's members. */
export interface ContactSyncPlan<M extends Member> {
  add: M[];
  /**
   * Changes of existing contacts, in descending order of the role number. The contact of a new owner is last, because a
   * contact list has at most one owner at a time.
   */
  change: { refId: string; copiedFields: CopiedFields }[];
  /** Ids (`refId`) of the contacts to remove. */
  remove: string[];
}

/** Computes the changes. Contacts without an account do not depend on membership and are kept. */
export function planContactSync<M extends Member>(
  members: readonly M[],
  contacts: readonly MemberContact[],
): ContactSyncPlan<M> {
  const membersById = new Map(members.map((member) => [member.userId, member]));
  const contactUserIds = new Set(contacts.map(({ userId }) => userId));
  const memberContacts = contacts.filter((contact) => contact.userId !== null);
  return {
    add: members.filter(({ userId }) => !contactUserIds.has(userId)),
    change: memberContacts
      .flatMap((contact) => {
        const member = membersById.get(contact.userId ?? '');
        return member && isDifferent(member, contact)
          ? [{ refId: contact.refId, copiedFields: toCopiedFields(member) }]
          : [];
      })
      .toSorted((one, other) => other.copiedFields.role - one.copiedFields.role),
    remove: memberContacts.filter(({ userId }) => !membersById.has(userId ?? '')).map(({ refId }) => refId),
  };
}

function toCopiedFields({ role, name, areaCode, phoneNumber }: CopiedFields): CopiedFields {
  return { role, name, areaCode, phoneNumber };
}

function isDifferent(one: CopiedFields, other: CopiedFields): boolean {
  return (['role', 'name', 'areaCode', 'phoneNumber'] as const).some((field) => one[field] !== other[field]);
}
