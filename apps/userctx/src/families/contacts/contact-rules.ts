import { MAX_SOS_ORDER } from '@family-watch/domain/families/contracts/contact';
import type { UpdateContactDto } from '@family-watch/domain/families/dto/contact.dto';
import type { ContactEntity } from '@family-watch/domain/families/entities/contact.entities';
import { FAMILY_ROLE, type FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import type { FamilyMemberEntity } from '@family-watch/domain/families/entities/family.entities';
import type { ErrorDetail } from '@family-watch/domain/kernel/contracts/service-error';

/**
 * Returns whether a member of role `actor` may change a contact's role from `from` to `to`. Only the owner assigns
 * roles. Nobody can raise their own role, change the owner's role, or create a second owner (specification 4.3).
 */
export function canChangeRole(actor: FamilyRole, from: FamilyRole, to: FamilyRole): boolean {
  if (from === to) return true;
  return actor === FAMILY_ROLE.OWNER && from !== FAMILY_ROLE.OWNER && to !== FAMILY_ROLE.OWNER;
}

const ACCOUNT_FIELDS = ['name', 'phoneNumber', 'areaCode'] as const;
const ACCOUNT_ONLY_PERMISSIONS = ['canChat', 'canVideo'] as const;

/**
 * Validates an update of a contact. The account of a member determines the member's name and phone number, so that a
 * client cannot assign its own number to a parent's contact. A contact without an account can only be called.
 * @returns the invalid fields; empty when the update is valid
 */
export function validateContactChange(change: UpdateContactDto, hasAccount: boolean): ErrorDetail[] {
  if (hasAccount) {
    return ACCOUNT_FIELDS.filter((field) => change[field] !== undefined).map((field) => ({
      field,
      rule: 'isOfAccount',
      message: `${field} of a member is that of the member's account and cannot be changed here`,
    }));
  }
  return ACCOUNT_ONLY_PERMISSIONS.filter((field) => change[field] === true).map((field) => ({
    field,
    rule: 'needsAccount',
    message: `${field} requires a contact with an account`,
  }));
}

/** A contact and its rank (`sosOrder`): an SOS notifies contacts by ascending rank. Ranks are unique per child. */
export type RankedContact = Pick<ContactEntity, 'refId' | 'sosOrder'>;

/** Returns the rank of a new contact: one after the highest rank, or the maximum. */
export function lastRank(contacts: readonly RankedContact[]): number {
  return Math.min(Math.max(0, ...contacts.map(({ sosOrder }) => sosOrder)) + 1, MAX_SOS_ORDER);
}

/**
 * Computes the moves that free `rank`. The contact at `rank` and those directly after it move back by one, up to the
 * first free rank. Other contacts keep their ranks, and the order is preserved. Only if no later rank is free, the
 * contact at `rank` and those directly before it move forward by one instead.
 *
 * @param others the child's contacts except the one that gets `rank`, each with a unique rank
 * @returns the contacts that move, with their new ranks
 */
export function shiftRanks(others: readonly RankedContact[], rank: number): RankedContact[] {
  const moved = findMoves(others, rank, 1);
  const fits = moved.every(({ sosOrder }) => sosOrder <= MAX_SOS_ORDER);
  return fits ? moved : findMoves(others, rank, -1);
}

function findMoves(others: readonly RankedContact[], rank: number, step: 1 | -1): RankedContact[] {
  const byRank = new Map(others.map((other) => [other.sosOrder, other]));
  const moved: RankedContact[] = [];
  for (
    let currentRank = rank, next = byRank.get(currentRank);
    next;
    currentRank += step, next = byRank.get(currentRank)
  ) {
    moved.push({ refId: next.refId, sosOrder: currentRank + step });
  }
  return moved;
}

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

/** Compares the contacts of a child with the family's members. Contacts without an account are unchanged. */
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
