import type { FamilyMemberEntity } from '@family-watch/domain/families/entities/family-member.entity';
import type { ContactEntity } from '@family-watch/domain/contacts/entities/contact.entity';

type Member = Pick<FamilyMemberEntity, 'userId' | 'role'>;
type MemberContact = Pick<ContactEntity, 'refId' | 'userId' | 'role'>;

/** What brings a child's contacts in step with the family's members. */
export interface RosterPlan<M extends Member, C extends MemberContact> {
  add: M[];
  change: { contact: C; role: Member['role'] }[];
  remove: C[];
}

/** Contacts without an account are nobody's membership and stay. */
export function planRoster<M extends Member, C extends MemberContact>(
  members: readonly M[],
  contacts: readonly C[],
): RosterPlan<M, C> {
  const memberOf = new Map(members.map((member) => [member.userId, member]));
  const known = new Set(contacts.map(({ userId }) => userId));
  return {
    add: members.filter(({ userId }) => !known.has(userId)),
    change: contacts.flatMap((contact) => {
      const member = contact.userId === null ? undefined : memberOf.get(contact.userId);
      return member && member.role !== contact.role ? [{ contact, role: member.role }] : [];
    }),
    remove: contacts.filter(({ userId }) => userId !== null && !memberOf.has(userId)),
  };
}
