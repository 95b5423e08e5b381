import type { FamilyMemberEntity } from '@family-watch/domain/families/entities/family-member.entity';
import type { ContactEntity } from '@family-watch/domain/contacts/entities/contact.entity';

/** What a contact has from the member: the rest is the child's own view of this person. */
type Shared = Pick<ContactEntity, 'role' | 'name' | 'areaCode' | 'phoneNumber'>;
type Member = Shared & Pick<FamilyMemberEntity, 'userId'>;
type MemberContact = Shared & Pick<ContactEntity, 'refId' | 'userId'>;

/** What brings a child's contacts in step with the family's members. */
export interface ContactSyncPlan<M extends Member> {
  add: M[];
  /** A new owner comes last: there is one at a time. */
  change: { refId: string; shared: Shared }[];
  /** By `refId`. */
  remove: string[];
}

/** Contacts without an account are nobody's membership and stay. */
export function planContactSync<M extends Member>(
  members: readonly M[],
  contacts: readonly MemberContact[],
): ContactSyncPlan<M> {
  const memberOf = new Map(members.map((member) => [member.userId, member]));
  const known = new Set(contacts.map(({ userId }) => userId));
  const ofAccounts = contacts.filter((contact) => contact.userId !== null);
  return {
    add: members.filter(({ userId }) => !known.has(userId)),
    change: ofAccounts
      .flatMap((contact) => {
        const member = memberOf.get(contact.userId ?? '');
        return member && differ(member, contact) ? [{ refId: contact.refId, shared: sharedOf(member) }] : [];
      })
      .toSorted((one, other) => other.shared.role - one.shared.role),
    remove: ofAccounts.filter(({ userId }) => !memberOf.has(userId ?? '')).map(({ refId }) => refId),
  };
}

function sharedOf({ role, name, areaCode, phoneNumber }: Shared): Shared {
  return { role, name, areaCode, phoneNumber };
}

function differ(one: Shared, other: Shared): boolean {
  return (['role', 'name', 'areaCode', 'phoneNumber'] as const).some((field) => one[field] !== other[field]);
}
